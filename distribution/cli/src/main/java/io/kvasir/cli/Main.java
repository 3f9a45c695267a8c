package io.kvasir.cli;

import io.kvasir.api.KvasirException;
import io.kvasir.api.store.StoreException;
import io.kvasir.core.Version;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;

/** {@code kvasir}, and what all of its commands have in common. */
@Command(
    name = "kvasir",
    description = "Looks after stores of KV cache.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Versions.class,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:done, and nothing was found wrong",
      "1:a check failed, or what was asked for is not there",
      "2:the command line or the configuration is wrong",
      "3:the store cannot be opened or does not answer",
      "4:an unexpected error"
    })
public final class Main implements Runnable {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  private static final Map<String, Supplier<Object>> COMMANDS = commands();

  Main() {}

  /** Runs one command and ends the process with its exit status. */
  public static void main(String[] args) {
    System.exit(commandLine(args).execute(args));
  }

  private static Map<String, Supplier<Object>> commands() {
    Map<String, Supplier<Object>> out = new LinkedHashMap<>();
    out.put("plugins", PluginsCommand::new);
    out.put("identity", IdentityCommand::new);
    out.put("doctor", DoctorCommand::new);
    out.put("ls", LsCommand::new);
    out.put("rm", RmCommand::new);
    out.put("bench", BenchCommand::new);
    out.put("verify", VerifyCommand::new);
    out.put("new", NewCommand::new);
    out.put("format", FormatCommand::new);
    return out;
  }

  /**
   * {@return the command line for these arguments}
   *
   * <p>Of the commands, only the one that is asked for is made: picocli reads the annotations of
   * each, which takes as long as many a command itself.
   */
  static CommandLine commandLine(String... args) {
    CommandLine line = new CommandLine(new Main());
    boolean named = args.length > 0 && COMMANDS.containsKey(args[0]);
    COMMANDS.forEach(
        (name, command) -> {
          if (!named || name.equals(args[0])) {
            line.addSubcommand(name, command.get());
          }
        });
    return line.setParameterExceptionHandler(Main::usage)
        .setExecutionExceptionHandler((e, own, _) -> failure(e, own));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a command");
  }

  private static int usage(ParameterException e, String[] args) {
    CommandLine line = e.getCommandLine();
    line.getErr().println("kvasir: " + e.getMessage());
    line.getErr().println("kvasir: " + line.getCommandSpec().qualifiedName() + " --help says more");
    return ExitCode.USAGE;
  }

  /** Says what a command failed with; {@return the exit status}. */
  static int failure(Exception e, CommandLine line) {
    Output output = Output.of(line);
    return switch (e) {
      case StoreException s -> output.error(s.getMessage(), code(s));
      case KvasirException k when k.getCause() instanceof StoreException s ->
          output.error(k.getMessage(), code(s));
      case KvasirException k -> output.error(k.getMessage(), ExitCode.USAGE);
      default -> {
        e.printStackTrace(line.getErr());
        yield output.error(e.toString(), ExitCode.UNEXPECTED);
      }
    };
  }

  private static int code(StoreException e) {
    return switch (e.kind()) {
      case CONFIGURATION -> ExitCode.USAGE;
      case UNSUPPORTED, MISMATCH -> ExitCode.FAILED;
      case UNAVAILABLE, CAPACITY, IO, CLOSED, TIMEOUT -> ExitCode.UNAVAILABLE;
    };
  }

  /** The version of the runtime and of the JVM. */
  static final class Versions implements IVersionProvider {
    Versions() {}

    @Override
    public String[] getVersion() {
      return new String[] {
        "kvasir " + Version.current(),
        "java " + System.getProperty("java.version") + " (" + System.getProperty("java.home") + ")"
      };
    }
  }
}

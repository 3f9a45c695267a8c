package io.kvasir.cli;

import io.kvasir.core.Deployment;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of every command. */
final class Common {
  @CommandLine.Spec(CommandLine.Spec.Target.MIXEE)
  private CommandLine.Model.CommandSpec spec;

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "The configuration; conf/kvasir.json of the distribution unless given.")
  private Path config;

  @Option(names = "--json", description = "Print one JSON value.")
  private boolean json;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this and exit.")
  @SuppressWarnings("unused") // picocli reads it
  private boolean help;

  Common() {}

  Output output() {
    return new Output(spec.commandLine().getOut(), spec.commandLine().getErr(), json);
  }

  Path config() {
    if (config != null) {
      return config;
    }
    String home = System.getProperty("kvasir.home");
    if (home == null) {
      throw new ParameterException(spec.commandLine(), "give the configuration: --config FILE");
    }
    return Path.of(home, "conf", "kvasir.json");
  }

  Deployment deployment() {
    return Deployment.of(config());
  }

  ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}

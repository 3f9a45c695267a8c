package io.kvasir.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** {@code kvasir identity}. */
@Command(
    name = "identity",
    description = "Shows what blocks mean, and why two deployments do not share them.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {ShowCommand.class, ExplainCommand.class})
final class IdentityCommand implements Runnable {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  IdentityCommand() {}

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a command: show or explain");
  }
}

package io.ocicat.cli.policy;

import io.ocicat.cli.resource.CommandContext;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ocicat policy}: the group of commands about network policy. */
@Command(
    name = "policy",
    description = "Explain, show, try and watch network policy.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
public final class PolicyCommand {
  private PolicyCommand() {}

  public static CommandLine of(CommandContext context) {
    return new CommandLine(new PolicyCommand())
        .addSubcommand(new PolicyExplainCommand(context))
        .addSubcommand(new PolicyShowCommand(context))
        .addSubcommand(new PolicyTryCommand(context))
        .addSubcommand(new PolicyWatchCommand(context));
  }
}

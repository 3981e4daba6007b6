package io.ocicat.cli.bgp;

import io.ocicat.cli.options.NodeContext;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ocicat bgp}: the group of BGP commands. */
@Command(
    name = "bgp",
    description = "Show the BGP sessions of this node.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
public final class BgpCommand {
  private BgpCommand() {}

  public static CommandLine of(NodeContext context) {
    return new CommandLine(new BgpCommand()).addSubcommand(new BgpStatusCommand(context));
  }
}

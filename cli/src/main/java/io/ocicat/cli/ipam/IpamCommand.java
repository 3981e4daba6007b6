package io.ocicat.cli.ipam;

import io.ocicat.cli.resource.CommandContext;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ocicat ipam}: the group of IPAM commands. */
@Command(
    name = "ipam",
    description = "Show, check and release the addresses of Calico's IPAM.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
public final class IpamCommand {
  private IpamCommand() {}

  public static CommandLine of(CommandContext context) {
    return new CommandLine(new IpamCommand())
        .addSubcommand(new IpamShowCommand(context))
        .addSubcommand(new IpamCheckCommand(context))
        .addSubcommand(new IpamReleaseCommand(context))
        .addSubcommand(new IpamConfigureCommand(context))
        .addSubcommand(new IpamSplitCommand(context))
        .addSubcommand(new IpamWhyCommand(context))
        .addSubcommand(new IpamGcCommand(context));
  }
}

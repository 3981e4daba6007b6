package io.ocicat.cli.ipam;

import io.ocicat.cli.resource.CommandContext;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ocicat ipam}. */
@Command(
    name = "ipam",
    description = "Show, check and release the addresses of Calico's IPAM.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
public final class IpamCommand {
  private IpamCommand() {}

  public static CommandLine of(CommandContext surroundings) {
    return new CommandLine(new IpamCommand())
        .addSubcommand(new IpamShowCommand(surroundings))
        .addSubcommand(new IpamCheckCommand(surroundings))
        .addSubcommand(new IpamReleaseCommand(surroundings))
        .addSubcommand(new IpamConfigureCommand(surroundings))
        .addSubcommand(new IpamSplitCommand(surroundings))
        .addSubcommand(new IpamWhyCommand(surroundings))
        .addSubcommand(new IpamGcCommand(surroundings));
  }
}

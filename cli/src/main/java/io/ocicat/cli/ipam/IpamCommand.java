package io.ocicat.cli.ipam;

import io.ocicat.cli.resource.Surroundings;
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

  public static CommandLine of(Surroundings surroundings) {
    return new CommandLine(new IpamCommand())
        .addSubcommand(new ShowCommand(surroundings))
        .addSubcommand(new CheckCommand(surroundings))
        .addSubcommand(new ReleaseCommand(surroundings))
        .addSubcommand(new ConfigureCommand(surroundings))
        .addSubcommand(new SplitCommand(surroundings))
        .addSubcommand(new AddressCommand(surroundings))
        .addSubcommand(new GcCommand(surroundings));
  }
}

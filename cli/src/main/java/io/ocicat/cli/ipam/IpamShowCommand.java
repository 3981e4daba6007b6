package io.ocicat.cli.ipam;

import io.ocicat.base.json.Json;
import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cli.resource.CommandException;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.model.IpamConfig;
import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.IpamException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat ipam show}: shows how pools, blocks and addresses are used. */
@Command(
    name = "show",
    description = "Show how full pools and blocks are, or who has an address.",
    footer = {"", "Example: ocicat ipam show --show-blocks --map"})
final class IpamShowCommand extends IpamCommandContext {
  @Option(names = "--ip", paramLabel = "IP", description = "Whether this address is in use.")
  private @Nullable String ip;

  @Option(names = "--show-blocks", description = "Blocks as well as pools.")
  private boolean blocks;

  @Option(
      names = "--show-borrowed",
      description = "Addresses that nodes have of blocks that are not theirs.")
  private boolean borrowed;

  @Option(names = "--show-configuration", description = "The settings of IPAM.")
  private boolean configuration;

  @Option(
      names = "--map",
      description = "Draw every block, one character for each address or part of the block.")
  private boolean map;

  @Option(names = "--svg", paramLabel = "FILE", description = "Draw that to a file instead.")
  private @Nullable Path svg;

  IpamShowCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected int run() {
    long asked =
        Stream.of(ip != null, blocks, borrowed, configuration, map || svg != null)
            .filter(Boolean::booleanValue)
            .count();
    if (asked > 1) {
      throw new ParameterException(
          spec.commandLine(),
          "only one of --ip, --show-blocks, --show-borrowed, --show-configuration and --map"
              + " at a time");
    }
    return withIpam(this::show);
  }

  private int show(Datastore datastore, Ipam ipam) {
    String wanted = ip;
    if (wanted != null) {
      address(ipam, address(wanted));
    } else if (borrowed) {
      Borrowed found = Borrowed.of(BlockList.assigned(datastore));
      if (json) {
        print(found.toJson());
      } else {
        found.printTo(out());
      }
    } else if (configuration) {
      configuration(ipam.config());
    } else if (map || svg != null) {
      map(datastore, ipam);
    } else {
      usage(new Usage(ipam.utilisation(List.of()), blocks));
    }
    return 0;
  }

  private void usage(Usage usage) {
    if (json) {
      print(usage.toJson());
    } else {
      usage.printTo(out());
    }
  }

  private void map(Datastore datastore, Ipam ipam) {
    BlockMap drawing = new BlockMap(ipam.utilisation(List.of()), BlockList.of(datastore));
    Path file = svg;
    if (json) {
      print(drawing.toJson());
    } else if (file != null) {
      try {
        Files.writeString(file, BlockMapSvg.of(drawing));
      } catch (IOException e) {
        throw new CommandException("%s cannot be written: %s".formatted(file, e), e);
      }
    } else {
      drawing.printTo(out(), context.colours());
    }
  }

  private void configuration(IpamConfig config) {
    Map<String, Object> properties = new TreeMap<>();
    properties.put("StrictAffinity", config.strictAffinity());
    properties.put("AutoAllocateBlocks", config.autoAllocateBlocks());
    properties.put("MaxBlocksPerHost", config.maxBlocksPerHost());
    properties.put(
        "KubeVirtVMAddressPersistence",
        config.keepVirtualMachineAddresses() ? "Enabled" : "Disabled");
    properties.put("IPCooldownSeconds", config.cooldownSeconds());
    if (json) {
      ObjectNode document = Json.object();
      properties.forEach(
          (name, value) -> {
            String member =
                name.startsWith("IP")
                    ? "ip" + name.substring(2)
                    : Character.toLowerCase(name.charAt(0)) + name.substring(1);
            switch (value) {
              case Boolean flag -> document.put(member, flag);
              case Integer number -> document.put(member, number);
              default -> document.put(member, value.toString());
            }
          });
      print(document);
      return;
    }
    BorderedTable table = new BorderedTable("PROPERTY", "VALUE");
    for (String name :
        List.of(
            "StrictAffinity",
            "AutoAllocateBlocks",
            "MaxBlocksPerHost",
            "KubeVirtVMAddressPersistence",
            "IPCooldownSeconds")) {
      table.row(name, String.valueOf(properties.get(name)));
    }
    table.printTo(out());
  }

  private void address(Ipam ipam, IpAddress address) {
    Optional<AddressInfo> info = info(ipam, address);
    if (json) {
      ObjectNode document =
          Json.object().put("ip", address.toString()).put("inUse", info.isPresent());
      info.ifPresent(
          found -> {
            document.put("handle", found.handle());
            put(document.putObject("attributes"), found.owner());
            put(document.putObject("alternateAttributes"), found.alternate());
          });
      print(document);
      return;
    }
    if (info.isEmpty()) {
      out().println(address + " is not assigned");
      return;
    }
    out().println("IP %s is in use".formatted(address));
    out().println("Handle ID: " + Optional.ofNullable(info.get().handle()).orElse("<none>"));
    out().println("Active Owner Attributes:");
    attributes(info.get().owner());
    if (!info.get().alternate().isEmpty()) {
      out().println("Alternate Owner Attributes:");
      attributes(info.get().alternate());
    }
  }

  static Optional<AddressInfo> info(Ipam ipam, IpAddress address) {
    try {
      return Optional.of(ipam.info(address));
    } catch (IpamException e) {
      if (e.reason() == IpamException.Reason.NOT_ASSIGNED) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private void attributes(Map<String, String> attributes) {
    if (attributes.isEmpty()) {
      out().println("  No attributes defined");
    }
    new TreeMap<>(attributes)
        .forEach((name, value) -> out().println("  %s: %s".formatted(name, value)));
  }

  static void put(ObjectNode json, Map<String, String> attributes) {
    new TreeMap<>(attributes).forEach(json::put);
  }
}

package io.ocicat.cli.ipam;

import io.ocicat.base.json.Json;
import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cli.resource.ResourceCommand;
import io.ocicat.cli.resource.UsageException;
import io.ocicat.datastore.Datastore;
import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.ClockAndRandom;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** The base of the {@code ocicat ipam} commands. */
abstract class IpamCommandContext extends ResourceCommand {
  @Option(names = "--json", description = "Print JSON.")
  boolean json;

  IpamCommandContext(CommandContext context) {
    super(context);
  }

  /** Work on addresses; returns the exit code. */
  @FunctionalInterface
  interface Work {
    int with(Datastore datastore, Ipam ipam);
  }

  final int withIpam(Work work) {
    return withDatastore(
        datastore -> {
          try (Ipam ipam = Ipam.forOneCall(datastore, ClockAndRandom.ofSystem())) {
            return work.with(datastore, ipam);
          }
        });
  }

  final void print(JsonNode document) {
    out().println(Json.pretty(document));
  }

  static IpAddress address(String text) {
    return IpAddress.tryParse(text)
        .map(IpAddress::unmap)
        .orElseThrow(() -> new UsageException("\"%s\" is not an IP address".formatted(text)));
  }
}

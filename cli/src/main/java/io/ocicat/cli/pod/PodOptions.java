package io.ocicat.cli.pod;

import io.ocicat.cli.options.CniOptions;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that all subcommands of {@code ocicat pod} share. */
final class PodOptions {
  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAMESPACE",
      defaultValue = "default",
      description = "The pod's namespace (default: ${DEFAULT-VALUE}).")
  private String namespace = "default";

  @Mixin private CniOptions cni = new CniOptions();

  @Option(
      names = "--pod-cidr",
      paramLabel = "CIDRS",
      description = "The node's pod addresses, separated by commas, for networks with ipRanges.")
  private @Nullable String podCidrs;

  String namespace() {
    return namespace;
  }

  CniOptions cni() {
    return cni;
  }

  Optional<String> podCidrs() {
    return Optional.ofNullable(podCidrs);
  }
}

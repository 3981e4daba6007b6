package io.ocicat.cli.pod;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that all subcommands of {@code ocicat pod} share. */
final class PodOptions {
  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAMESPACE",
      defaultValue = "default",
      description = "The pod's namespace (default: ${DEFAULT-VALUE}).")
  private String namespace = "default";

  @Option(
      names = "--conf-dir",
      paramLabel = "DIR",
      description = "Where networks are configured (default: NETCONFPATH, else /etc/cni/net.d).")
  private @Nullable Path confDirectory;

  @Option(
      names = "--cni-path",
      paramLabel = "DIRS",
      description =
          "Where plugins are, separated by colons (default: CNI_PATH, else the distribution's own).")
  private @Nullable String cniPath;

  @Option(
      names = "--cache-dir",
      paramLabel = "DIR",
      defaultValue = "/var/lib/cni",
      description = "Where attachments are remembered (default: ${DEFAULT-VALUE}).")
  private Path cacheDirectory = Path.of("/var/lib/cni");

  @Option(
      names = "--pod-cidr",
      paramLabel = "CIDRS",
      description = "The node's pod addresses, separated by commas, for networks with ipRanges.")
  private @Nullable String podCidrs;

  String namespace() {
    return namespace;
  }

  Optional<Path> confDirectory() {
    return Optional.ofNullable(confDirectory);
  }

  Optional<String> cniPath() {
    return Optional.ofNullable(cniPath);
  }

  Path cacheDirectory() {
    return cacheDirectory;
  }

  Optional<String> podCidrs() {
    return Optional.ofNullable(podCidrs);
  }
}

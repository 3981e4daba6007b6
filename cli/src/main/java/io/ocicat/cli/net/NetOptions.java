package io.ocicat.cli.net;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Options that all subcommands of {@code ocicat net} share; each beats the variable of the same
 * meaning.
 */
final class NetOptions {
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

  Optional<Path> confDirectory() {
    return Optional.ofNullable(confDirectory);
  }

  Optional<String> cniPath() {
    return Optional.ofNullable(cniPath);
  }

  Path cacheDirectory() {
    return cacheDirectory;
  }
}

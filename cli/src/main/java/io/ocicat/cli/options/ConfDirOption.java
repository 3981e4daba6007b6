package io.ocicat.cli.options;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/**
 * {@code --conf-dir}: the directory of network configurations, for commands that read or write it.
 */
public final class ConfDirOption {
  public static final String USUAL = "/etc/cni/net.d";

  @Option(
      names = "--conf-dir",
      paramLabel = "DIR",
      defaultValue = USUAL,
      description = "Where networks are configured (default: ${DEFAULT-VALUE}).")
  private Path directory = Path.of(USUAL);

  public Path directory() {
    return directory;
  }
}

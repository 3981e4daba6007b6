package io.ocicat.cli.options;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** {@code --conf-dir} of the commands that look at, or put something, where runtimes look. */
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

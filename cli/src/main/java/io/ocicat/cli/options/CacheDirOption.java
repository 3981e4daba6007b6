package io.ocicat.cli.options;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** {@code --cache-dir}: where libcni, and ocicat in its place, caches attachments. */
public final class CacheDirOption {
  private static final String USUAL = "/var/lib/cni";

  @Option(
      names = "--cache-dir",
      paramLabel = "DIR",
      defaultValue = USUAL,
      description = "Where attachments are cached (default: ${DEFAULT-VALUE}).")
  private Path directory = Path.of(USUAL);

  public Path directory() {
    return directory;
  }
}

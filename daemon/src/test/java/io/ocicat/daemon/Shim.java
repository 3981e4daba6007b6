package io.ocicat.daemon;

import io.ocicat.testkit.Command;
import java.nio.file.Path;
import java.time.Duration;

/** The shim, compiled once for all tests of a run. */
final class Shim {
  static final Path FILE = compile();

  private Shim() {}

  private static Path compile() {
    Path file = Path.of("target", "shim").toAbsolutePath();
    Command.of(Path.of("src/main/c/build").toAbsolutePath().toString(), file.toString())
        .limit(Duration.ofMinutes(2))
        .run();
    return file;
  }
}

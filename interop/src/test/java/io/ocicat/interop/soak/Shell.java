package io.ocicat.interop.soak;

import io.ocicat.testkit.Command;
import io.ocicat.testkit.Output;
import java.time.Duration;

/** Types lines into a shell on the soak's machine. */
final class Shell {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private Shell() {}

  static String run(String script) {
    return Command.of("sh", "-ec", script).limit(LIMIT).run().stdout();
  }

  static Output attempt(String script) {
    return Command.of("sh", "-c", script).limit(LIMIT).attempt();
  }

  /** The output of a script, even when it fails. */
  static String output(String script) {
    return attempt(script).stdout().strip();
  }
}

package io.ocicat.conformance.check;

import io.ocicat.base.Deadline;
import io.ocicat.base.json.Json;
import io.ocicat.cni.SpecVersion;
import io.ocicat.conformance.lab.Mismatch;
import io.ocicat.conformance.lab.Snapshot;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import tools.jackson.databind.node.ObjectNode;

/** Comparisons that several topics make. */
final class Expect {
  /** The kernel removes links a moment after it has acknowledged the request. */
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  private static final long POLL_MILLIS = 10;

  private Expect() {}

  static void that(boolean holds, String expected, String actual) {
    if (!holds) {
      throw new Mismatch(expected, actual);
    }
  }

  static void same(Object expected, Object actual, String what) {
    that(expected.equals(actual), what + " " + expected, String.valueOf(actual));
  }

  static void shape(ObjectNode result, SpecVersion version) {
    List<String> problems = ResultShape.problems(result, version);
    that(
        problems.isEmpty(),
        "a result of version " + version,
        String.join("; ", problems) + ": " + Json.compact(result));
  }

  /** That things are as they were, now or in a moment. */
  static void unchanged(String what, Snapshot before, Supplier<Snapshot> now) {
    Deadline deadline = Deadline.in(TIMEOUT);
    List<String> changes = before.changesUntil(now.get());
    while (!changes.isEmpty() && !deadline.hasPassed()) {
      pause();
      changes = before.changesUntil(now.get());
    }
    that(changes.isEmpty(), what + " as before", String.join(", ", changes));
  }

  private static void pause() {
    try {
      Thread.sleep(POLL_MILLIS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}

package io.ocicat.datastore.kubernetes;

import io.ocicat.base.Deadline;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceWatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Reads a watch until it has delivered enough, with a timeout. */
final class WatchReader {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private WatchReader() {}

  /** Returns at least this many events, in order. */
  static List<ResourceEvent> events(ResourceWatch watch, int count) {
    List<ResourceEvent> events = new ArrayList<>();
    Deadline deadline = Deadline.in(TIMEOUT);
    while (events.size() < count) {
      if (deadline.hasPassed()) {
        throw new AssertionError("waited in vain for %d events, got %s".formatted(count, events));
      }
      events.addAll(watch.next(deadline.remaining()).events());
    }
    return events;
  }
}

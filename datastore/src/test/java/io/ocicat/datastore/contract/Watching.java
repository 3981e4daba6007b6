package io.ocicat.datastore.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.kv.KeyValueEvent;
import io.ocicat.datastore.kv.KeyValueWatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Reads a watch until it has delivered enough, with a timeout. */
final class Watching {
  static final Duration TIMEOUT = Duration.ofSeconds(20);

  private Watching() {}

  /** Returns at least {@code count} events; more when they came with the last of them. */
  static List<KeyValueEvent> events(KeyValueWatch watch, int count) {
    List<KeyValueEvent> events = new ArrayList<>();
    until(watch, batch -> events.addAll(batch.events()) && events.size() >= count);
    return events;
  }

  /** The first batch that has events. */
  static KeyValueWatch.Batch firstWithEvents(KeyValueWatch watch) {
    List<KeyValueWatch.Batch> seen = new ArrayList<>();
    until(watch, batch -> seen.add(batch) && !batch.events().isEmpty());
    return seen.getLast();
  }

  /** Returns every event up to and including {@code revision}. */
  static List<KeyValueEvent> upTo(KeyValueWatch watch, long revision) {
    List<KeyValueEvent> events = new ArrayList<>();
    until(
        watch,
        batch -> {
          events.addAll(batch.events());
          return batch.revision() >= revision;
        });
    return events;
  }

  private static void until(KeyValueWatch watch, Predicate<KeyValueWatch.Batch> enough) {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (true) {
      Duration left = Duration.ofNanos(deadline - System.nanoTime());
      assertThat(left).as("time left with the watch").isPositive();
      if (enough.test(watch.next(left.compareTo(STEP) < 0 ? left : STEP))) {
        return;
      }
    }
  }

  private static final Duration STEP = Duration.ofSeconds(2);
}

package io.ocicat.agent.kernel;

import io.ocicat.base.Backoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * The keys that a reconciler has to look at, and when: those whose desired value changed at once,
 * those that the kernel reported a little later, because the report may be an echo of our own
 * change with another on its way, and those that failed after a backoff. For one thread.
 */
final class PendingKeys<K> {
  private static final Duration SETTLE = Duration.ofMillis(5);
  private static final Duration FIRST_RETRY = Duration.ofMillis(100);
  private static final Duration LONGEST_RETRY = Duration.ofSeconds(10);

  private final LongSupplier nanoTime;
  private final Map<K, Long> due = new LinkedHashMap<>();
  private final Map<K, Backoff> backoff = new HashMap<>();

  PendingKeys(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  void now(Iterable<K> keys) {
    keys.forEach(key -> due.put(key, nanoTime.getAsLong()));
  }

  void now(K key) {
    due.put(key, nanoTime.getAsLong());
  }

  /** The kernel reported something about the key. */
  void soon(K key) {
    in(key, SETTLE);
  }

  void in(K key, Duration time) {
    due.putIfAbsent(key, nanoTime.getAsLong() + time.toNanos());
  }

  /** The key's change failed: try again, later each time. */
  void retry(K key) {
    in(key, backoff.computeIfAbsent(key, _ -> new Backoff(FIRST_RETRY, LONGEST_RETRY)).next());
  }

  void succeeded(K key) {
    backoff.remove(key);
  }

  /** Removes and returns the keys that are due. */
  List<K> take() {
    if (due.isEmpty()) {
      return List.of();
    }
    long now = nanoTime.getAsLong();
    List<K> taken = new ArrayList<>();
    due.entrySet()
        .removeIf(
            entry -> {
              boolean isDue = entry.getValue() - now <= 0;
              if (isDue) {
                taken.add(entry.getKey());
              }
              return isDue;
            });
    return taken;
  }

  /** When the next key is due, by the clock of {@code nanoTime}. */
  OptionalLong next() {
    return due.values().stream().mapToLong(Long::longValue).min();
  }
}

package io.ocicat.daemon;

import io.ocicat.base.Backoff;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Schedules retries with exponential backoff: soon at first, then after twice as long each time, up
 * to a minute; at once when the cause appears to be gone. Thread-safe.
 *
 * @param <K> what failures are counted by
 */
final class RetrySchedule<K> {
  static final Duration LONGEST = Duration.ofMinutes(1);

  private final Duration first;
  private final LongSupplier nanos;
  private final Map<K, Delay> delays = new HashMap<>();

  private record Delay(long sinceNanos, Duration length, Backoff backoff) {}

  /**
   * @param nanos a monotonic clock, as {@link System#nanoTime}
   */
  RetrySchedule(Duration first, LongSupplier nanos) {
    this.first = first;
    this.nanos = nanos;
  }

  synchronized boolean isDue(K what) {
    Delay delay = delays.get(what);
    return delay == null || nanos.getAsLong() - delay.sinceNanos() >= delay.length().toNanos();
  }

  synchronized void failed(K what) {
    Delay before = delays.get(what);
    Backoff backoff = before == null ? new Backoff(first, LONGEST) : before.backoff();
    delays.put(what, new Delay(nanos.getAsLong(), backoff.next(), backoff));
  }

  /** The next attempt need not wait. */
  synchronized void reset(K what) {
    delays.remove(what);
  }

  synchronized boolean isEmpty() {
    return delays.isEmpty();
  }

  /** Drops the failures of all others. */
  synchronized void forgetAllBut(Collection<K> present) {
    delays.keySet().retainAll(present);
  }
}

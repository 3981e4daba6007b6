package io.ocicat.datastore.kubernetes.client;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * A token bucket. A caller that finds it empty reserves a future permit and learns how long to wait
 * for it, so that nobody is overtaken forever. Thread-safe.
 */
public final class RateLimit {
  /**
   * Calico's own default (5 a second after the first 100) is for processes that live for one call
   * each, so it hardly ever slows one down. Ours live long and share the limit.
   */
  public static final double DEFAULT_RATE = 50;

  public static final int DEFAULT_BURST = 100;

  private final double perNano;
  private final int burst;
  private final LongSupplier nanos;
  private double permits;
  private long filledAt;

  public RateLimit(double perSecond, int burst, LongSupplier nanos) {
    this.perNano = (perSecond > 0 ? perSecond : DEFAULT_RATE) / Duration.ofSeconds(1).toNanos();
    this.burst = burst > 0 ? burst : DEFAULT_BURST;
    this.nanos = nanos;
    this.permits = this.burst;
    this.filledAt = nanos.getAsLong();
  }

  /** The number of permits per second. */
  public String perSecond() {
    return String.valueOf(Math.round(perNano * Duration.ofSeconds(1).toNanos() * 10) / 10.0)
        .replace(".0", "");
  }

  /**
   * Takes a permit that becomes available within {@code limit}.
   *
   * @return how long to wait before using it; more than {@code limit} when none was taken
   */
  public synchronized Duration reserve(Duration limit) {
    long now = nanos.getAsLong();
    permits = Math.min(burst, permits + (now - filledAt) * perNano);
    filledAt = now;
    Duration wait = Duration.ofNanos(permits >= 1 ? 0 : (long) Math.ceil((1 - permits) / perNano));
    if (wait.compareTo(limit) <= 0) {
      permits--;
    }
    return wait;
  }
}

package io.ocicat.ipam.model;

import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Where time and chance come from.
 *
 * @param clock what records tell: claim times, the first sequence number of a block
 * @param nanoTime how long ago something was read, whatever the clock does
 * @param random where walks over blocks of one address begin, and how long a loser waits
 */
public record ClockAndRandom(Clock clock, LongSupplier nanoTime, LongSupplier random) {

  public static ClockAndRandom ofSystem() {
    return new ClockAndRandom(
        Clock.systemUTC(), System::nanoTime, () -> ThreadLocalRandom.current().nextLong());
  }

  public long unixNanos() {
    Instant now = clock.instant();
    return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
  }
}

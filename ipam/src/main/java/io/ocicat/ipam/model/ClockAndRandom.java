package io.ocicat.ipam.model;

import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The sources of time and randomness.
 *
 * @param clock for times in records: claim times, the first sequence number of a block
 * @param nanoTime for the age of cached values, independent of clock changes
 * @param random for the start of walks over single-address blocks, and for retry delays
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

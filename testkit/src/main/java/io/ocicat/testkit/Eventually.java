package io.ocicat.testkit;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits, up to a limit, for what the kernel or another process does asynchronously. */
public final class Eventually {

  private static final Duration DEFAULT_LIMIT = Duration.ofSeconds(10);
  private static final long FIRST_PAUSE_MILLIS = 2;
  private static final long LONGEST_PAUSE_MILLIS = 100;

  private Eventually() {}

  /** Returns once the condition holds; {@code what} completes the sentence "waited for …". */
  public static void await(String what, BooleanSupplier condition) {
    await(what, DEFAULT_LIMIT, condition);
  }

  public static void await(String what, Duration limit, BooleanSupplier condition) {
    value(what, limit, () -> condition.getAsBoolean() ? Optional.of(true) : Optional.empty());
  }

  /** Returns the first value the source has. */
  public static <T> T value(String what, Duration limit, Supplier<Optional<T>> source) {
    return poll(limit, source)
        .orElseThrow(() -> new AssertionError("waited %s in vain for %s".formatted(limit, what)));
  }

  /** Returns once the assertions hold; after the limit their own failure is the test's. */
  public static void passes(Duration limit, Runnable assertions) {
    if (poll(limit, () -> hold(assertions)).isEmpty()) {
      assertions.run();
    }
  }

  private static Optional<Boolean> hold(Runnable assertions) {
    try {
      assertions.run();
      return Optional.of(true);
    } catch (AssertionError _) {
      return Optional.empty();
    }
  }

  private static <T> Optional<T> poll(Duration limit, Supplier<Optional<T>> source) {
    long deadline = System.nanoTime() + limit.toNanos();
    long pause = FIRST_PAUSE_MILLIS;
    while (true) {
      // The clock first: however long the machine slept, the source is checked after the deadline.
      boolean late = System.nanoTime() - deadline >= 0;
      Optional<T> value = source.get();
      if (value.isPresent() || late) {
        return value;
      }
      sleep(pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
    }
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestkitException("interrupted while waiting", e);
    }
  }
}

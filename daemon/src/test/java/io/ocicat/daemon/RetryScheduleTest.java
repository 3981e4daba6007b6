package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How often failures are retried (review C10). */
class RetryScheduleTest {
  private final AtomicLong nanos = new AtomicLong();
  private final RetrySchedule<String> schedule =
      new RetrySchedule<>(Duration.ofMillis(400), nanos::get);

  @Test
  void eachFailureDoublesTheDelayUpToAMinute() {
    List<Long> millis = new ArrayList<>();
    for (int failure = 0; failure < 10; failure++) {
      schedule.failed("etcd");
      long start = nanos.get();
      while (!schedule.isDue("etcd")) {
        nanos.addAndGet(Duration.ofMillis(100).toNanos());
      }
      millis.add(Duration.ofNanos(nanos.get() - start).toMillis());
    }
    assertThat(millis)
        .containsExactly(
            400L, 800L, 1600L, 3200L, 6400L, 12_800L, 25_600L, 51_200L, 60_000L, 60_000L);
  }

  @Test
  void aSuccessMakesTheNextAttemptDueAtOnce() {
    for (int failure = 0; failure < 8; failure++) {
      schedule.failed("etcd");
    }
    assertThat(schedule.isDue("etcd")).isFalse();
    assertThat(schedule.isDue("another")).isTrue();
    schedule.reset("etcd");
    assertThat(schedule.isDue("etcd")).isTrue();
  }
}

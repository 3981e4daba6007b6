package io.ocicat.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BackoffTest {
  private static Stream<Long> millis(Backoff backoff, int count) {
    return Stream.generate(() -> backoff.next().toMillis()).limit(count);
  }

  @Test
  void everyDelayIsTwiceTheOneBeforeUpToTheLongest() {
    assertThat(millis(new Backoff(Duration.ofMillis(100), Duration.ofMillis(700)), 5))
        .containsExactly(100L, 200L, 400L, 700L, 700L);
  }

  @Test
  void aSuccessStartsOver() {
    Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));
    assertThat(millis(backoff, 3)).containsExactly(100L, 200L, 400L);
    backoff.reset();
    assertThat(millis(backoff, 2)).containsExactly(100L, 200L);
  }

  @Test
  void theLongestMayBeTheFirstAndOfAnyLength() {
    Duration day = Duration.ofDays(1);
    assertThat(millis(new Backoff(day, day), 2)).containsExactly(86_400_000L, 86_400_000L);
    Backoff endless = new Backoff(day, Duration.ofSeconds(Long.MAX_VALUE));
    Stream.generate(endless::next).limit(80).forEach(delay -> assertThat(delay).isPositive());
  }

  @Test
  void delaysThatShrinkOrAreZeroAreRejected() {
    assertThatThrownBy(() -> new Backoff(Duration.ZERO, Duration.ofSeconds(1)))
        .hasMessageContaining("PT0S");
    assertThatThrownBy(() -> new Backoff(Duration.ofSeconds(2), Duration.ofSeconds(1)))
        .hasMessageContaining("PT2S");
  }
}

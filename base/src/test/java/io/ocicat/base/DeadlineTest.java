package io.ocicat.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DeadlineTest {
  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 10);

  @Test
  void comesNearerAndPasses() {
    Deadline deadline = Deadline.in(Duration.ofSeconds(3), clock::get);
    assertThat(deadline.remaining()).isEqualTo(Duration.ofSeconds(3));
    pass(Duration.ofSeconds(2));
    assertThat(deadline.remaining()).isEqualTo(Duration.ofSeconds(1));
    assertThat(deadline.hasPassed()).isFalse();
    pass(Duration.ofSeconds(1));
    assertThat(deadline.hasPassed()).isTrue();
    pass(Duration.ofDays(1));
    assertThat(deadline.remaining()).isZero();
  }

  @Test
  void canBeSharpenedButNotExtended() {
    Deadline deadline = Deadline.in(Duration.ofSeconds(3), clock::get);
    assertThat(deadline.atMost(Duration.ofSeconds(1)).remaining()).isEqualTo(Duration.ofSeconds(1));
    assertThat(deadline.atMost(Duration.ofSeconds(9))).isSameAs(deadline);
    assertThat(Deadline.NEVER.atMost(Duration.ofSeconds(1)).isNever()).isFalse();
  }

  @Test
  void saysHowMuchOfATimeItLeaves() {
    Deadline deadline = Deadline.in(Duration.ofSeconds(3), clock::get);
    assertThat(deadline.remaining(Duration.ofSeconds(1))).isEqualTo(Duration.ofSeconds(1));
    assertThat(deadline.remaining(Duration.ofSeconds(9))).isEqualTo(Duration.ofSeconds(3));
    assertThat(deadline.allows(Duration.ofSeconds(2))).isTrue();
    assertThat(deadline.allows(Duration.ofSeconds(3))).isFalse();
  }

  @Test
  void neverDoesNotPassAndStillIsADuration() {
    assertThat(Deadline.NEVER.hasPassed()).isFalse();
    assertThat(Deadline.NEVER.remaining().toNanos()).isEqualTo(Long.MAX_VALUE);
    assertThat(Deadline.in(Duration.ofSeconds(Long.MAX_VALUE)).isNever()).isTrue();
    assertThat(Deadline.in(Duration.ofSeconds(-1)).hasPassed()).isTrue();
  }

  @Test
  void readsAsPeopleSayIt() {
    assertThat(Deadline.NEVER).hasToString("never");
    assertThat(Deadline.in(Duration.ofMillis(1500), clock::get)).hasToString("in 1500 ms");
    assertThat(Deadline.in(Duration.ofSeconds(2), clock::get)).hasToString("in 2 s");
  }

  private void pass(Duration duration) {
    clock.addAndGet(duration.toNanos());
  }
}

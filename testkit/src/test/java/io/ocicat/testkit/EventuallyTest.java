package io.ocicat.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EventuallyTest {

  private static final Duration SHORT = Duration.ofMillis(20);
  private final AtomicInteger calls = new AtomicInteger();

  @Test
  void asksUntilTheConditionHolds() {
    Eventually.await("the third call", () -> calls.incrementAndGet() == 3);

    assertThat(calls).hasValue(3);
  }

  @Test
  void saysWhatItWaitedForInVain() {
    assertThatThrownBy(() -> Eventually.await("godot", SHORT, () -> false))
        .isInstanceOf(AssertionError.class)
        .hasMessage("waited PT0.02S in vain for godot");
  }

  @Test
  void givesTheFirstValue() {
    assertThat(
            Eventually.value(
                "a number above two",
                Duration.ofSeconds(10),
                () -> Optional.of(calls.incrementAndGet()).filter(n -> n > 2)))
        .isEqualTo(3);
  }

  @Test
  void asksOnceMoreAfterTheDeadline() {
    Eventually.await("now", Duration.ZERO, () -> calls.incrementAndGet() == 1);

    assertThat(calls).hasValue(1);
  }

  @Test
  void assertionsMayFailAtFirst() {
    Eventually.passes(
        Duration.ofSeconds(10), () -> assertThat(calls.incrementAndGet()).isEqualTo(3));
  }

  @Test
  void theFailureOfTheAssertionsIsTheTests() {
    assertThatThrownBy(() -> Eventually.passes(SHORT, () -> fail("still raining")))
        .hasMessage("still raining");
  }

  @Test
  void anythingButAFailedAssertionEndsTheWait() {
    assertThatThrownBy(
            () ->
                Eventually.passes(
                    Duration.ofSeconds(10),
                    () -> {
                      throw new IllegalStateException("broken");
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("broken");
  }
}

package io.ocicat.daemon.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.Deadline;
import io.ocicat.cni.exec.Verb;
import io.ocicat.daemon.server.CallAdmission.Turn;
import io.ocicat.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class CallAdmissionTest {
  private final CallAdmission admission = new CallAdmission(1);

  private Turn enter(Verb verb, Duration limit) {
    return Objects.requireNonNull(admission.enter(verb, Deadline.in(limit)));
  }

  @Test
  void deletionsNeverWait() {
    try (Turn _ = enter(Verb.ADD, Duration.ofSeconds(1))) {
      enter(Verb.DEL, Duration.ZERO).close();
      enter(Verb.DEL, Duration.ZERO).close();
    }
  }

  @Test
  void whoseTimeIsUpGetsNoTurn() {
    try (Turn _ = enter(Verb.ADD, Duration.ofSeconds(1))) {
      assertThat(admission.enter(Verb.ADD, Deadline.in(Duration.ofMillis(1)))).isNull();
      assertThat(admission.waiting()).isZero();
    }
    enter(Verb.ADD, Duration.ofSeconds(1)).close();
  }

  @Test
  void whoHasLeastTimeGoesFirst() throws InterruptedException {
    List<Integer> order = new CopyOnWriteArrayList<>();
    Turn first = enter(Verb.ADD, Duration.ofSeconds(1));
    List<Thread> threads =
        List.of(50, 30, 40).stream()
            .map(
                seconds ->
                    Thread.ofPlatform()
                        .start(
                            () -> {
                              try (Turn _ = enter(Verb.ADD, Duration.ofSeconds(seconds))) {
                                order.add(seconds);
                              }
                            }))
            .toList();
    Eventually.await("all three wait", () -> admission.waiting() == 3);
    first.close();
    for (Thread thread : threads) {
      thread.join(Duration.ofSeconds(30));
    }
    assertThat(order).containsExactly(30, 40, 50);
    enter(Verb.ADD, Duration.ofSeconds(1)).close();
  }
}

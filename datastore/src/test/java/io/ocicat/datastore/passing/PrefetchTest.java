package io.ocicat.datastore.passing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.DatastoreRequest;
import io.ocicat.datastore.Prefetch;
import io.ocicat.datastore.RequestListener;
import io.ocicat.datastore.error.NotFoundException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class PrefetchTest {
  private static final DatastoreRequest REQUEST =
      new DatastoreRequest("get a", 1, 0, 0, true, 1, 2);

  @Test
  void questionsAreUnderWayAtTheSameTime() {
    CountDownLatch both = new CountDownLatch(2);
    Prefetch<Integer> one = Prefetch.start(() -> meet(both, 1));
    Prefetch<Integer> two = Prefetch.start(() -> meet(both, 2));

    assertThat(one.get() + two.get()).isEqualTo(3);
  }

  private static int meet(CountDownLatch all, int answer) {
    all.countDown();
    try {
      all.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return answer;
  }

  @Test
  void whatIsNearIsAskedByWhoWaits() {
    Prefetch<Thread> asked = Prefetch.whenNeeded(Thread::currentThread);

    assertThat(asked.get()).isEqualTo(Thread.currentThread());
    assertThat(asked.get()).isEqualTo(Thread.currentThread());
  }

  @Test
  void aFailureIsThatOfWhoWaits() {
    Prefetch<Integer> none =
        Prefetch.start(
            () -> {
              throw new NotFoundException("there is none");
            });

    assertThatThrownBy(none::get).isInstanceOf(NotFoundException.class);
  }

  @Test
  void requestsAreReportedOnceOnTheWaitingThread() {
    List<Thread> told = new ArrayList<>();
    ScopedValue.where(RequestListener.CURRENT, _ -> told.add(Thread.currentThread()))
        .run(
            () -> {
              Prefetch<Integer> asked =
                  Prefetch.start(
                      () -> {
                        RequestListener.report(REQUEST);
                        return 1;
                      });
              asked.get();
              asked.get();
            });

    assertThat(told).containsExactly(Thread.currentThread());
  }

  @Test
  void whatIsDoneAtTheSameTimeHasAllEndedWhenOneFails() {
    CountDownLatch both = new CountDownLatch(2);
    AtomicBoolean ended = new AtomicBoolean();

    assertThatThrownBy(
            () ->
                Prefetch.all(
                    List.<Supplier<Integer>>of(
                        () -> {
                          meet(both, 1);
                          throw new NotFoundException("there is none");
                        },
                        () -> {
                          meet(both, 2);
                          ended.set(true);
                          return 2;
                        })))
        .isInstanceOf(NotFoundException.class);

    assertThat(ended).isTrue();
  }

  @Test
  void anInterruptionIsKeptUntilAllHaveEnded() {
    Thread.currentThread().interrupt();

    List<Integer> answers = Prefetch.all(List.<Supplier<Integer>>of(() -> 1, () -> 2));

    assertThat(answers).containsExactly(1, 2);
    assertThat(Thread.interrupted()).isTrue();
  }
}

package io.ocicat.datastore.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.kv.Change;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueEvent;
import io.ocicat.datastore.kv.KeyValueWatch;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The contract of watches: every change once, in order, from any revision. */
public abstract class KeyValueWatchContract extends KeyValueStoreFixture {
  private static final Duration SHORT = Duration.ofMillis(50);

  @Test
  void changesAfterTheRevisionAreSeen() {
    long before = put("/a", "before");
    try (KeyValueWatch watch = store().watch("/", before + 1)) {
      long made = put("/a", "1");
      long gone = committed(Transaction.delete("/a")).revision();
      long again = put("/a", "2");

      assertThat(Watching.events(watch, 3))
          .containsExactly(
              new KeyValueEvent.Put(new KeyValue("/a", "1", before, made, 0)),
              new KeyValueEvent.Deleted("/a", gone, new KeyValue("/a", "1", before, made, 0)),
              new KeyValueEvent.Put(new KeyValue("/a", "2", again, again, 0)));
    }
  }

  @Test
  void whatHappenedBeforeTheWatchIsSeenToo() {
    long first = put("/a", "1");
    put("/a", "2");
    committed(Transaction.delete("/a"));
    long last = put("/b", "3");

    try (KeyValueWatch watch = another().watch("", first)) {
      assertThat(Watching.upTo(watch, last))
          .extracting(KeyValueEvent::revision)
          .containsExactly(first, first + 1, first + 2, first + 3);
    }
  }

  @Test
  void aNewKeyIsDistinguishedFromAChangedOne() {
    long first = put("/a", "1");
    put("/a", "2");

    try (KeyValueWatch watch = store().watch("/a", first)) {
      assertThat(Watching.events(watch, 2))
          .extracting(event -> ((KeyValueEvent.Put) event).isNew())
          .containsExactly(true, false);
    }
  }

  @Test
  void otherPrefixesAreNotSeenButTheRevisionRises() {
    long first = put("/a/1", "");
    put("/ab", "");
    put("/b", "");
    put("/a/2", "");
    long last = put("/z", "");

    try (KeyValueWatch watch = store().watch("/a/", first)) {
      assertThat(Watching.upTo(watch, last))
          .extracting(KeyValueEvent::key)
          .containsExactly("/a/1", "/a/2");
    }
  }

  @Test
  void whatIsDoneTogetherIsSeenTogether() {
    put("/old", "x");
    long from = store().range(RangeQuery.all("")).revision() + 1;
    committed(
        new Transaction(
            List.of(),
            List.of(
                new Change.Put("/b", "1"), new Change.Delete("/old"), new Change.Put("/a", "2"))));

    try (KeyValueWatch watch = store().watch("/", from)) {
      assertThat(Watching.events(watch, 1))
          .extracting(KeyValueEvent::key)
          .containsExactlyInAnyOrder("/b", "/old", "/a");
    }
  }

  @Test
  void aQuietWatchReturnsEmptyHanded() {
    long revision = put("/a", "1");

    try (KeyValueWatch watch = store().watch("/", revision + 1)) {
      KeyValueWatch.Batch batch = watch.next(SHORT);
      assertThat(batch.events()).isEmpty();
      assertThat(batch.revision()).isLessThanOrEqualTo(revision);

      put("/a", "2");
      assertThat(Watching.events(watch, 1)).hasSize(1);
    }
  }

  @Test
  void aWatchThatWaitsIsWokenByWhatAnotherDoorWrites() throws InterruptedException {
    long revision = put("/a", "1");
    AtomicReference<KeyValueWatch.@Nullable Batch> seen = new AtomicReference<>();
    try (KeyValueWatch watch = another().watch("/", revision + 1)) {
      Thread reader = Thread.ofVirtual().start(() -> seen.set(Watching.firstWithEvents(watch)));
      Eventually.await("the reader to wait", () -> reader.getState() != Thread.State.NEW);
      put("/a", "2");
      reader.join(Watching.TIMEOUT);
    }
    assertThat(seen.get()).isNotNull();
  }

  @Test
  void theFutureIsWaitedFor() {
    long revision = put("/a", "1");

    try (KeyValueWatch watch = store().watch("/", revision + 3)) {
      put("/a", "2");
      put("/a", "3");
      long third = put("/a", "4");
      assertThat(Watching.events(watch, 1))
          .extracting(KeyValueEvent::revision)
          .containsExactly(third);
    }
  }

  @Test
  void compactedHistoryIsReported() {
    long first = put("/a", "1");
    put("/a", "2");
    long last = put("/a", "3");
    compact(last);

    try (KeyValueWatch watch = store().watch("/", first)) {
      assertThatThrownBy(() -> Watching.events(watch, 1))
          .isInstanceOf(CompactedException.class)
          .hasMessageContaining("list again");
    }
    try (KeyValueWatch watch = store().watch("/", last)) {
      assertThat(Watching.events(watch, 1)).hasSize(1);
    }
  }

  @Test
  void aWatchThatIsUpToDateSurvivesCompaction() {
    long first = put("/a", "1");
    try (KeyValueWatch watch = store().watch("/", first)) {
      assertThat(Watching.upTo(watch, first)).hasSize(1);
      long second = put("/a", "2");
      assertThat(Watching.upTo(watch, second)).hasSize(1);
      compact(second);
      long third = put("/a", "3");
      assertThat(Watching.upTo(watch, third)).hasSize(1);
    }
  }

  @Test
  void aLongHistoryComesInBatchesThatMissNothing() {
    int count = 600;
    long first = put("/n", "0");
    for (int i = 1; i < count; i++) {
      put(i % 3 == 0 ? "/n" : "/other", String.valueOf(i));
    }
    try (KeyValueWatch watch = store().watch("/", first)) {
      List<KeyValueEvent> events = Watching.upTo(watch, first + count - 1);
      List<Long> expected = new ArrayList<>();
      for (long revision = first; revision < first + count; revision++) {
        expected.add(revision);
      }
      assertThat(events).extracting(KeyValueEvent::revision).isEqualTo(expected);
    }
  }

  @Test
  void aRestartIsNoReasonToMissAnything() {
    long first = put("/a", "1");
    reopen();
    long last = put("/a", "2");

    try (KeyValueWatch watch = store().watch("/", first)) {
      assertThat(Watching.upTo(watch, last))
          .extracting(KeyValueEvent::revision)
          .containsExactly(first, last);
    }
  }

  @Test
  void closingWakesWhoWaits() throws InterruptedException {
    long revision = put("/a", "1");
    AtomicReference<@Nullable Throwable> end = new AtomicReference<>();
    KeyValueWatch watch = store().watch("/", revision + 1);
    Thread reader =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    Watching.firstWithEvents(watch);
                  } catch (Throwable e) {
                    end.set(e);
                  }
                });
    Eventually.await("the reader to wait", () -> reader.getState() != Thread.State.NEW);
    watch.close();
    watch.close();
    reader.join(Watching.TIMEOUT);

    assertThat(end.get()).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> watch.next(SHORT)).isInstanceOf(IllegalStateException.class);
  }
}

package io.ocicat.datastore.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Metadata;
import io.ocicat.base.Deadline;
import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.kv.Change;
import io.ocicat.datastore.kv.KeyValueEvent;
import io.ocicat.datastore.kv.KeyValueWatch;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A watch resumes after a lost connection, and knows its position. */
class ResumeTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofMillis(200);

  @RegisterExtension final EtcdServer etcd = new EtcdServer();

  @Test
  void whatHappenedMeanwhileIsSeenOnceAndInOrder() {
    try (EtcdStore store = etcd.open();
        EtcdStore writer = etcd.open();
        KeyValueWatch watch = store.watch("/", 2)) {
      writer.commit(Transaction.put("/a", "1"));
      List<KeyValueEvent> seen = new ArrayList<>(watch.next(LONG).events());
      etcd.kill();
      etcd.start();
      for (int i = 2; i < 5; i++) {
        writer.commit(Transaction.put("/a", String.valueOf(i)));
      }
      while (seen.size() < 4) {
        KeyValueWatch.Batch batch = watch.next(LONG);
        assertThat(batch.events()).isNotEmpty();
        seen.addAll(batch.events());
      }
      assertThat(seen).extracting(KeyValueEvent::revision).containsExactly(2L, 3L, 4L, 5L);
      assertThat(watch.next(SHORT).events()).isEmpty();
    }
  }

  @Test
  void withoutEtcdAWatchSaysSoAndGoesOnLater() {
    try (EtcdStore store = etcd.open();
        KeyValueWatch watch = store.watch("/", 2)) {
      assertThat(watch.next(SHORT).events()).isEmpty();
      etcd.kill();

      Eventually.passes(
          LONG,
          () ->
              assertThatThrownBy(() -> watch.next(SHORT))
                  .isInstanceOf(UnavailableException.class)
                  .hasMessageContaining(etcd.url()));

      etcd.start();
      store.commit(Transaction.put("/a", "1"));
      assertThat(watch.next(LONG).events()).hasSize(1);
    }
  }

  @Test
  void historyThatWasCompactedMeanwhileEndsIt() {
    try (EtcdStore store = etcd.open();
        EtcdStore writer = etcd.open();
        KeyValueWatch watch = store.watch("/", 2)) {
      writer.commit(Transaction.put("/a", "1"));
      assertThat(watch.next(LONG).revision()).isEqualTo(2);
      etcd.kill();
      etcd.start();
      for (int i = 0; i < 4; i++) {
        writer.commit(Transaction.put("/a", String.valueOf(i)));
      }
      etcd.compact(5);

      assertThatThrownBy(() -> watch.next(LONG))
          .isInstanceOf(CompactedException.class)
          .hasMessageContaining("/")
          .hasMessageContaining("list again");
      assertThatThrownBy(() -> watch.next(LONG)).isInstanceOf(CompactedException.class);
    }
  }

  @Test
  void compactionOfWhatASilentWatchNeedNotSeeDoesNotEndIt() {
    try (EtcdStore store = etcd.open();
        EtcdStore writer = etcd.open();
        KeyValueWatch watch = store.watch("/mine/", 2)) {
      for (int i = 0; i < 5; i++) {
        writer.commit(Transaction.put("/other", String.valueOf(i)));
      }
      Eventually.await("the watch to know", LONG, () -> watch.next(SHORT).revision() == 6);
      etcd.compact(6);
      etcd.kill();
      etcd.start();
      writer.commit(Transaction.put("/mine/a", ""));

      assertThat(watch.next(LONG).events())
          .extracting(KeyValueEvent::key)
          .containsExactly("/mine/a");
    }
  }

  @Test
  void aSilentWatchDoesNotClaimToHavePassedWhatItHasNotSeen() {
    try (EtcdStore store = etcd.open();
        EtcdStore writer = etcd.open();
        KeyValueWatch watch = store.watch("/mine/", 2)) {
      EtcdCalls calls = writer.calls();
      writer.commit(Transaction.put("/mine/a", ""));
      long put =
          new WatchProgressProbe(calls, KeyRange.prefix("/mine/")).probe(1, Deadline.in(LONG));
      assertThat(put).isEqualTo(1);
      writer.commit(Transaction.delete("/mine/a"));
      writer.commit(Transaction.put("/other", ""));
      assertThat(
              new WatchProgressProbe(calls, KeyRange.prefix("/mine/")).probe(2, Deadline.in(LONG)))
          .isEqualTo(2);
      assertThat(
              new WatchProgressProbe(calls, KeyRange.prefix("/mine/")).probe(3, Deadline.in(LONG)))
          .isEqualTo(4);
      assertThat(watch.next(LONG).events().getFirst().revision()).isEqualTo(2);
    }
  }

  @Test
  void etcdReportsTheProgressOfASilentWatch() throws InterruptedException {
    try (EtcdServer talkative =
        new EtcdServer("--experimental-watch-progress-notify-interval", "200ms")) {
      talkative.start();
      try (EtcdStore store = talkative.open()) {
        store.commit(Transaction.put("/other", ""));
        EtcdConnection connection = store.calls().members().connection(Deadline.in(LONG));
        WatchStream stream =
            WatchStream.open(
                connection, new Metadata(), new EtcdRequest.Watch(KeyRange.prefix("/mine/"), 1));
        EtcdResponse.Watch created = answer(stream);
        EtcdResponse.Watch progress = answer(stream);
        stream.cancel();

        assertThat(created.created()).isTrue();
        assertThat(progress)
            .isEqualTo(new EtcdResponse.Watch(2, false, false, 0, "", false, List.of()));
      }
    }
  }

  private static EtcdResponse.Watch answer(WatchStream stream) throws InterruptedException {
    if (stream.poll(LONG) instanceof WatchStream.Signal.Answered(EtcdResponse.Watch answer)) {
      return answer;
    }
    throw new AssertionError("the stream ended or has nothing to say");
  }

  @Test
  void whatComesInFragmentsIsHandedOutTogether() {
    String large = "x".repeat(400_000);
    try (EtcdStore store = etcd.open();
        EtcdStore writer = etcd.open()) {
      // With the previous values, more than one message can hold.
      for (String value : List.of(large, large.toUpperCase(Locale.ROOT))) {
        List<Change> changes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
          changes.add(new Change.Put("/large/" + i, value));
        }
        writer.commit(new Transaction(List.of(), changes));
      }
      try (KeyValueWatch watch = store.watch("/large/", 2)) {
        List<List<Long>> batches = new ArrayList<>();
        int count = 0;
        while (count < 6) {
          List<KeyValueEvent> events = watch.next(LONG).events();
          batches.add(events.stream().map(KeyValueEvent::revision).distinct().toList());
          count += events.size();
        }
        assertThat(count).isEqualTo(6);
        assertThat(batches.stream().flatMap(List::stream).toList()).containsExactly(2L, 3L);
      }
    }
  }

  @Test
  void closingTheStoreEndsItsWatches() throws InterruptedException {
    EtcdStore store = etcd.open();
    KeyValueWatch watch = store.watch("/", 2);
    AtomicReference<@Nullable Throwable> end = new AtomicReference<>();
    Thread reader =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    watch.next(LONG);
                  } catch (Throwable e) {
                    end.set(e);
                  }
                });
    Eventually.await("the reader to wait", () -> reader.getState() == Thread.State.TIMED_WAITING);
    store.close();
    assertThat(reader.join(LONG)).isTrue();
    assertThat(end.get()).isInstanceOf(IllegalStateException.class);
    watch.close();
  }
}

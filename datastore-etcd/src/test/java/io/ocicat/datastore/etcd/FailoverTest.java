package io.ocicat.datastore.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.Deadline;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueEvent;
import io.ocicat.datastore.kv.KeyValueWatch;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.kv.TransactionOutcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Endpoints that are down, silent, or die during a call. */
class FailoverTest {
  private static final String DEAD = "http://127.0.0.1:1";
  private static final String ALSO_DEAD = "http://127.0.0.1:2";
  private static final EtcdSettings IMPATIENT =
      new EtcdSettings(Duration.ofSeconds(1), Duration.ofMillis(400));

  @RegisterExtension final EtcdServer etcd = new EtcdServer();

  @Test
  void oneLivingEndpointOfThreeIsEnough() {
    try (EtcdStore store = EtcdStore.open(EtcdServer.config(DEAD, ALSO_DEAD, etcd.url()));
        KeyValueWatch watch = store.watch("/", 2)) {
      store.commit(Transaction.put("/a", "1"));

      assertThat(store.get("/a")).map(KeyValue::value).contains("1");
      assertThat(watch.next(Duration.ofSeconds(10)).events()).hasSize(1);
    }
  }

  @Test
  void aSilentEndpointIsLeftForOneThatAnswers() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        EtcdStore store =
            EtcdStore.open(
                EtcdServer.config("http://127.0.0.1:" + silent.getLocalPort(), etcd.url()),
                EtcdSettings.standard())) {
      assertThat(store.get("/a")).isEmpty();
    }
  }

  /** Review U23: the limit only ends the test in case it would wait for etcd to come up. */
  @Test
  @Timeout(120)
  void aCommandDoesNotWaitWhenConnectionsAreRefused() {
    EtcdSettings patient = new EtcdSettings(Duration.ofHours(1), Duration.ofMinutes(1));
    try (EtcdStore store =
        EtcdStore.open(EtcdServer.config(DEAD, ALSO_DEAD), patient.forCommands())) {
      assertThatThrownBy(() -> store.get("/a"))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining(DEAD + ": connection refused")
          .hasMessageContaining(ALSO_DEAD + ": connection refused");
    }
    assertThat(Logger.getLogger("io.netty").isLoggable(Level.WARNING)).isFalse();
  }

  @Test
  void whenNoneAnswersEachIsNamedWithItsReason() {
    try (EtcdStore store = EtcdStore.open(EtcdServer.config(DEAD, ALSO_DEAD), IMPATIENT)) {
      assertThatThrownBy(() -> store.get("/a"))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("etcd cannot be reached, check that it runs")
          .hasMessageContaining(DEAD + ": connection refused")
          .hasMessageContaining(ALSO_DEAD + ": connection refused")
          .extracting(Throwable::getMessage)
          .asString()
          .hasLineCount(1);
      assertThatThrownBy(() -> store.commit(Transaction.put("/a", "")))
          .isInstanceOf(UnavailableException.class)
          .extracting(e -> ((UnavailableException) e).outcomeUnknown())
          .isEqualTo(false);
      assertThatThrownBy(() -> store.watch("/", 1)).isInstanceOf(UnavailableException.class);
    }
  }

  @Test
  void aRestartBetweenTwoCallsIsNotNoticed() {
    try (EtcdStore store = etcd.open()) {
      store.commit(Transaction.put("/a", "1"));
      etcd.kill();
      etcd.start();

      assertThat(store.get("/a")).map(KeyValue::value).contains("1");
      assertThat(store.commit(Transaction.put("/a", "2")))
          .isInstanceOf(TransactionOutcome.Committed.class);
    }
  }

  @Test
  void theOutcomeOfAWriteWithoutAnAnswerIsUnknown() {
    try (EtcdStore store = EtcdStore.open(EtcdServer.config(etcd.url()), IMPATIENT)) {
      store.commit(Transaction.put("/a", "1"));
      etcd.signal("STOP");
      try {
        assertThatThrownBy(() -> store.commit(Transaction.put("/a", "2")))
            .isInstanceOf(UnavailableException.class)
            .hasMessageContaining("/a")
            .hasMessageContaining("read before repeating")
            .extracting(e -> ((UnavailableException) e).outcomeUnknown())
            .isEqualTo(true);
        assertThatThrownBy(() -> store.get("/a"))
            .isInstanceOf(UnavailableException.class)
            .hasMessageContaining("no answer in time");
      } finally {
        etcd.signal("CONT");
      }
      assertThat(store.get("/a")).isPresent();
    }
  }

  /**
   * Writers and a watch continue while etcd is killed and restarted, twice. Each confirmed write is
   * there, each failed one either is or is not, and the watch has seen exactly the history, once
   * and in order.
   */
  @Test
  void nothingConfirmedIsLostAndNothingIsSeenTwiceWhenEtcdDies() throws Exception {
    Set<String> confirmed = ConcurrentHashMap.newKeySet();
    Set<String> unclear = ConcurrentHashMap.newKeySet();
    AtomicBoolean enough = new AtomicBoolean();
    try (EtcdStore store = etcd.open();
        EtcdStore reader = etcd.open()) {
      KeyValueWatch watch = reader.watch("/w/", 2);
      List<Thread> writers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        String name = "/w/" + i + "/";
        writers.add(
            Thread.ofVirtual().start(() -> writeUntil(store, name, enough, confirmed, unclear)));
      }
      List<KeyValueEvent> seen = new ArrayList<>();
      for (int round = 0; round < 2; round++) {
        readSome(watch, seen, seen.size() + 50);
        etcd.kill();
        etcd.start();
      }
      readSome(watch, seen, seen.size() + 50);
      enough.set(true);
      for (Thread writer : writers) {
        assertThat(writer.join(Duration.ofSeconds(30))).isTrue();
      }
      long last =
          ((TransactionOutcome.Committed) store.commit(Transaction.put("/w/end", ""))).revision();
      while (seen.getLast().revision() < last) {
        seen.addAll(watch.next(Duration.ofSeconds(10)).events());
      }

      Map<String, Long> stored = new TreeMap<>();
      store
          .range(RangeQuery.all("/w/"))
          .entries()
          .forEach(entry -> stored.put(entry.key(), entry.modified()));
      Set<String> allowed = new TreeSet<>(confirmed);
      assertThat(stored.keySet()).containsAll(confirmed);
      allowed.addAll(unclear);
      allowed.add("/w/end");
      assertThat(allowed).containsAll(stored.keySet());
      assertThat(seen).extracting(KeyValueEvent::key).doesNotHaveDuplicates();
      assertThat(seen).extracting(KeyValueEvent::revision).isSorted();
      assertThat(seen).extracting(KeyValueEvent::key).hasSameElementsAs(stored.keySet());
      watch.close();
    }
  }

  private static void writeUntil(
      EtcdStore store,
      String name,
      AtomicBoolean enough,
      Set<String> confirmed,
      Set<String> unclear) {
    for (int i = 0; !enough.get(); i++) {
      String key = name + i;
      try {
        store.commit(Transaction.create(key, ""));
        confirmed.add(key);
      } catch (UnavailableException e) {
        if (e.outcomeUnknown()) {
          unclear.add(key);
        }
      }
    }
  }

  private static void readSome(KeyValueWatch watch, List<KeyValueEvent> seen, int count) {
    Deadline deadline = Deadline.in(Duration.ofSeconds(30));
    while (seen.size() < count) {
      assertThat(deadline.hasPassed()).isFalse();
      seen.addAll(watch.next(Duration.ofSeconds(10)).events());
    }
  }
}

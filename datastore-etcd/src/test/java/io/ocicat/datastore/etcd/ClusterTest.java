package io.ocicat.datastore.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueEvent;
import io.ocicat.datastore.kv.KeyValueWatch;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A cluster of three members, which survives the loss of one but not of two. */
class ClusterTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final EtcdSettings IMPATIENT =
      new EtcdSettings(Duration.ofSeconds(2), Duration.ofMillis(700));

  private final List<EtcdServer> members =
      List.of(new EtcdServer(), new EtcdServer(), new EtcdServer());

  @BeforeEach
  void start() {
    StringJoiner cluster = new StringJoiner(",");
    for (int i = 0; i < members.size(); i++) {
      cluster.add("m%d=%s".formatted(i, members.get(i).peerUrl()));
    }
    for (int i = 0; i < members.size(); i++) {
      members
          .get(i)
          .with("--name", "m" + i, "--initial-cluster", cluster.toString())
          // Longer than a loaded machine makes a member wait.
          .with("--heartbeat-interval", "100", "--election-timeout", "1000")
          .start();
    }
    members.forEach(EtcdServer::awaitHealth);
  }

  @AfterEach
  void stop() {
    members.forEach(EtcdServer::close);
  }

  private EtcdStore open(EtcdSettings settings) {
    return EtcdStore.open(
        EtcdServer.config(members.stream().map(EtcdServer::url).toArray(String[]::new)), settings);
  }

  @Test
  void theLossOfTheMemberWeTalkToIsNotNoticed() {
    try (EtcdStore store = open(EtcdSettings.standard());
        KeyValueWatch watch = store.watch("/", 2)) {
      store.commit(Transaction.put("/a", "1"));
      List<KeyValueEvent> seen = new ArrayList<>(watch.next(LONG).events());

      members.getFirst().kill();
      Eventually.passes(LONG, () -> assertThat(store.get("/a")).isPresent());
      store.commit(Transaction.put("/a", "2"));
      store.commit(Transaction.put("/a", "3"));

      while (seen.size() < 3) {
        seen.addAll(watch.next(LONG).events());
      }
      assertThat(seen).extracting(KeyValueEvent::revision).containsExactly(2L, 3L, 4L);
    }
  }

  @Test
  void withoutALeaderNothingIsPromisedAndAfterwardsNothingIsMissing() {
    try (EtcdStore store = open(IMPATIENT);
        KeyValueWatch watch = store.watch("/", 2)) {
      store.commit(Transaction.put("/a", "1"));
      assertThat(watch.next(LONG).events()).hasSize(1);

      // Not the one we are connected to: it only loses its leader.
      members.get(1).kill();
      members.get(2).kill();

      Eventually.passes(
          LONG,
          () ->
              assertThatThrownBy(() -> watch.next(Duration.ofSeconds(1)))
                  .isInstanceOf(UnavailableException.class));
      assertThatThrownBy(() -> store.get("/a"))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("no leader");

      members.get(1).start();
      members.get(2).start();
      members.forEach(EtcdServer::awaitHealth);
      store.commit(Transaction.put("/a", "2"));
      assertThat(store.get("/a")).map(KeyValue::value).contains("2");
      Eventually.passes(
          LONG,
          () ->
              assertThat(watch.next(Duration.ofSeconds(5)).events())
                  .extracting(KeyValueEvent::revision)
                  .containsExactly(3L));
    }
  }
}

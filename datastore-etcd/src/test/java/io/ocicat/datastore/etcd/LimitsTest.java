package io.ocicat.datastore.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.kv.Change;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValuePage;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.kv.Transaction;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** etcd's limits, and keys in it that are not ours. */
class LimitsTest {
  @RegisterExtension final EtcdServer etcd = new EtcdServer();

  @Test
  void aFullEtcdSaysWhatToDo() {
    try (EtcdServer small = new EtcdServer("--quota-backend-bytes", "100000")) {
      small.start();
      try (EtcdStore store = small.open()) {
        assertThatThrownBy(
                () -> {
                  // etcd measures only what it has written to disk, ten times a second.
                  for (int i = 0; i < 1000; i++) {
                    store.commit(Transaction.put("/a/" + i, "x".repeat(30_000)));
                  }
                })
            .isInstanceOf(UnavailableException.class)
            .hasMessageContaining(small.url())
            .hasMessageContaining("NOSPACE")
            .hasMessageContaining("alarm disarm")
            .extracting(e -> ((UnavailableException) e).outcomeUnknown())
            .isEqualTo(false);
        assertThat(store.get("/a/0")).isPresent();
      }
    }
  }

  @Test
  void aValueThatIsTooLargeIsRefused() {
    try (EtcdStore store = etcd.open()) {
      assertThatThrownBy(() -> store.commit(Transaction.put("/a", "x".repeat(2_000_000))))
          .isInstanceOf(InvalidException.class)
          .hasMessageContaining("/a")
          .hasMessageContaining("too large");
      assertThat(store.get("/a")).isEmpty();
    }
  }

  @Test
  void aLongListIsReadInParts() {
    try (EtcdStore store = etcd.open()) {
      for (int i = 0; i < 1300; i += 100) {
        List<Change> changes = new ArrayList<>();
        for (int j = i; j < i + 100; j++) {
          changes.add(new Change.Put("/p/%04d".formatted(j), "v" + j));
        }
        store.commit(new Transaction(List.of(), changes));
      }

      KeyValuePage all = store.range(RangeQuery.all("/p/"));
      KeyValuePage most = store.range(RangeQuery.all("/p/").limit(1200));

      assertThat(all.entries()).hasSize(1300).extracting(KeyValue::key).isSorted();
      assertThat(all.more()).isFalse();
      assertThat(most.entries()).isEqualTo(all.entries().subList(0, 1200));
      assertThat(most.more()).isTrue();
      assertThat(store.range(RangeQuery.all("/p/").limit(1200).nextPage(most)).entries())
          .isEqualTo(all.entries().subList(1200, 1300));
    }
  }

  @Test
  void keysThatAreNotTextAreIgnored() {
    // /p/ and a byte that is never in UTF-8, then /p/b
    etcd.post("kv/put", "{\"key\":\"L3Av/w==\",\"value\":\"eA==\"}");
    etcd.post("kv/put", "{\"key\":\"L3Av/v8=\",\"value\":\"eA==\"}");
    try (EtcdStore store = etcd.open()) {
      store.commit(Transaction.put("/p/b", ""));

      KeyValuePage page = store.range(RangeQuery.all("/p/").limit(1));
      assertThat(page.entries()).extracting(KeyValue::key).containsExactly("/p/b");
      KeyValuePage rest = store.range(RangeQuery.all("/p/").limit(1).nextPage(page));
      assertThat(rest.entries()).isEmpty();
      assertThat(rest.more()).isFalse();
    }
  }

  @Test
  void closingLeavesNoThreadBehind() {
    assertThat(ownThreads()).isEmpty();
    EtcdStore store = etcd.open();
    store.watch("/", 1);
    assertThat(store.get("/a")).isEmpty();
    assertThat(ownThreads()).containsExactly("etcd-io");

    store.close();

    assertThat(ownThreads()).isEmpty();
  }

  private static List<String> ownThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        // One that has just ended may still be listed.
        .filter(Thread::isAlive)
        .map(Thread::getName)
        .filter(
            name -> name.startsWith("etcd") || name.contains("grpc") || name.contains("nioEvent"))
        .toList();
  }
}

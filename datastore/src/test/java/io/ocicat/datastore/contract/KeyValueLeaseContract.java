package io.ocicat.datastore.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.kv.Change;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueEvent;
import io.ocicat.datastore.kv.KeyValueWatch;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Keys that are deleted with their lease. */
public abstract class KeyValueLeaseContract extends KeyValueStoreFixture {
  private static final Duration LONG = Duration.ofMinutes(5);

  /** etcd has no shorter ones. */
  private static final Duration BRIEF = Duration.ofSeconds(2);

  @Test
  void aKeyKnowsItsLease() {
    long lease = store().grantLease(LONG);
    put("/a", "1", lease);

    assertThat(another().get("/a")).map(KeyValue::lease).contains(lease);
    assertThat(lease).isNotZero();
  }

  @Test
  void aLeaseThatEndsTakesItsKeysAlong() {
    long lease = store().grantLease(LONG);
    put("/a", "1", lease);
    put("/b", "1", lease);
    long last = put("/c", "1");

    try (KeyValueWatch watch = another().watch("/", last + 1)) {
      store().revokeLease(lease);

      assertThat(Watching.events(watch, 2))
          .extracting(KeyValueEvent::key)
          .containsExactlyInAnyOrder("/a", "/b");
    }
    assertThat(store().get("/a")).isEmpty();
    assertThat(store().get("/b")).isEmpty();
    assertThat(store().get("/c")).isPresent();
    assertThatThrownBy(() -> store().revokeLease(lease)).isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> store().keepAlive(lease)).isInstanceOf(NotFoundException.class);
  }

  @Test
  void aKeyLeavesItsLeaseWhenItIsPutWithoutIt() {
    long lease = store().grantLease(LONG);
    put("/a", "1", lease);
    put("/a", "2");

    store().revokeLease(lease);

    assertThat(store().get("/a")).map(KeyValue::value).contains("2");
  }

  @Test
  void timeEndsALease() {
    long lease = store().grantLease(BRIEF);
    long revision = put("/a", "1", lease);

    try (KeyValueWatch watch = another().watch("/", revision + 1)) {
      KeyValueEvent end = Watching.events(watch, 1).getFirst();
      assertThat(end).isInstanceOf(KeyValueEvent.Deleted.class);
      assertThat(end.revision()).isEqualTo(revision + 1);
    }
    Eventually.await("/a to be gone", () -> store().get("/a").isEmpty());
  }

  @Test
  void aLeaseThatIsNotThereHoldsNoKey() {
    assertThatThrownBy(() -> put("/a", "1", 4711)).isInstanceOf(InvalidException.class);
    assertThat(store().get("/a")).isEmpty();
  }

  private long put(String key, String value, long lease) {
    return committed(new Transaction(List.of(), List.of(new Change.Put(key, value, lease))))
        .revision();
  }
}

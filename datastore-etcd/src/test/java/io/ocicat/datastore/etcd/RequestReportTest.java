package io.ocicat.datastore.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.DatastoreRequest;
import io.ocicat.datastore.RequestListener;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.Transaction;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The reported duration of a call and its parts (review K14). */
class RequestReportTest {
  private static KeyValueStore started(EtcdServer etcd) {
    etcd.start();
    return etcd.open();
  }

  @Test
  void eachRequestIsReportedWithItsKeyAndTime() {
    List<DatastoreRequest> told = new ArrayList<>();
    try (EtcdServer etcd = new EtcdServer("--unsafe-no-fsync");
        KeyValueStore store = started(etcd)) {
      ScopedValue.where(RequestListener.CURRENT, told::add)
          .run(
              () -> {
                store.commit(Transaction.create("/a", "1"));
                store.get("/a");
              });
    }

    assertThat(told).extracting(DatastoreRequest::describe).containsExactly("Txn /a", "Range /a");
    assertThat(told).allSatisfy(it -> assertThat(it.endNanos()).isGreaterThan(it.startNanos()));
  }
}

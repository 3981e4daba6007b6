package io.ocicat.datastore.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.cluster.OwnerReference;
import io.ocicat.datastore.cluster.Pod;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.config.Secret;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.UnsupportedException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoredClusterTest {
  private static final Pod WEB =
      new Pod(
          "shop",
          "web-1",
          "uid-1",
          Map.of("app", "web", "tier", "front"),
          Map.of("cni.projectcalico.org/ipv4pools", "[\"blue\"]"),
          "shopkeeper",
          "web-",
          "node-a",
          List.of(
              new Pod.Port("http", "TCP", 80, 8080, "127.0.0.1"),
              new Pod.Port("", "UDP", 53, 0, "")));

  @TempDir Path directory;
  private final Datastores datastores = new Datastores();
  private KeyValueDatastore datastore;

  @BeforeEach
  void open() {
    datastore =
        (KeyValueDatastore) datastores.of(new DatastoreConfig.Embedded(directory.resolve("db")));
  }

  @AfterEach
  void close() {
    datastores.close();
  }

  @Test
  void aPublishedPodIsFoundUnchanged() {
    datastore.cluster().put(WEB);

    assertThat(datastore.cluster().pod("shop", "web-1")).contains(WEB);
    assertThat(datastore.cluster().pod("shop", "web-2")).isEmpty();
  }

  @Test
  void aPodIsRemovedOnlyByItsOwnIdentity() {
    datastore.cluster().put(WEB);
    Pod earlier = new Pod("shop", "web-1", "uid-0", Map.of(), Map.of(), "", "", "", List.of());

    datastore.cluster().remove(earlier);
    assertThat(datastore.cluster().pod("shop", "web-1")).contains(WEB);

    datastore.cluster().remove(WEB);
    datastore.cluster().remove(WEB);
    assertThat(datastore.cluster().pod("shop", "web-1")).isEmpty();
  }

  @Test
  void whatAPodBelongsToIsKept() {
    Pod owned =
        new Pod(
            "shop",
            "web-1",
            "uid-1",
            Map.of(),
            Map.of(),
            "",
            "",
            "",
            List.of(),
            List.of(new OwnerReference("apps/v1", "ReplicaSet", "web", "uid-2", true)));

    datastore.cluster().put(owned);

    assertThat(datastore.cluster().pod("shop", "web-1")).contains(owned);
  }

  /** Reporting that there are none would cause their addresses to be released. */
  @Test
  void ofVirtualMachinesNothingIsKnown() {
    assertThatThrownBy(() -> datastore.cluster().virtualMachine("shop", "vm"))
        .isInstanceOf(UnsupportedException.class)
        .hasMessageContaining("only the Kubernetes API knows");
    assertThatThrownBy(() -> datastore.cluster().virtualMachineInstance("shop", "vm"))
        .isInstanceOf(UnsupportedException.class);
  }

  @Test
  void namesThatCouldReachOtherKeysAreRefused() {
    assertThatThrownBy(() -> datastore.cluster().pod("shop/..", "web"))
        .isInstanceOf(InvalidException.class)
        .hasMessageContaining("shop/..");
  }

  @Test
  void anInvalidManifestIsReported() {
    datastore.store().commit(Transaction.put("/ocicat/v1/pods/shop/web-1", "{}"));

    assertThatThrownBy(() -> datastore.cluster().pod("shop", "web-1"))
        .isInstanceOf(CorruptException.class)
        .hasMessageContaining("metadata.name is missing");
  }

  @Test
  void everybodyWithTheSameConfigurationSharesOneDatastore() {
    DatastoreConfig same = new DatastoreConfig.Embedded(directory.resolve("db"));

    assertThat(datastores.of(same)).isSameAs(datastore);
  }

  @Test
  void anEngineThatIsNotThereIsNamed() {
    DatastoreConfig etcd =
        new DatastoreConfig.Etcd(
            List.of("http://127.0.0.1:1"), "", "", new Secret(""), DatastoreConfig.Tls.NONE);

    assertThatThrownBy(() -> datastores.of(etcd))
        .isInstanceOf(InvalidException.class)
        .hasMessageContaining("ocicat-datastore-etcd.jar");
  }
}

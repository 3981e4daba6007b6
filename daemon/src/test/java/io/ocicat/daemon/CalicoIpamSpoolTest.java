package io.ocicat.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Output;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * calico-ipam under the daemon: a DEL while the datastore cannot be written is promised, and the
 * address is free once it can.
 */
@Hosts
class CalicoIpamSpoolTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(90);

  @TempDir Path folder;

  private static Command call(Installation ocicat, Host container, String verb) {
    return ocicat
        .call(
            "calico-ipam",
            verb,
            """
            {"cniVersion": "1.1.0", "name": "net", "type": "calico", "datastore_type": "embedded",
             "nodename": "node-a", "nodename_file_optional": true,
             "ipam_lock_file": "%s/ipam.lock", "ipam": {"type": "calico-ipam"}}
            """
                .formatted(ocicat.run()))
        .limit(TIMEOUT)
        .env("CNI_CONTAINERID", "c1")
        .env("CNI_IFNAME", "eth0")
        .env("CNI_NETNS", container.path().toString());
  }

  @Test
  void anAddressIsReleasedWhenTheDatastoreIsBack(Host host, Host container) throws SQLException {
    Installation ocicat = Installation.in(folder, host);
    try (DaemonProcess _ = ocicat.startDaemon();
        Datastore datastore = Datastores.openOwn(new DatastoreConfig.Embedded(ocicat.state()))) {
      datastore.create(
          Resource.of(
              new ResourceKey.Named(Kind.IP_POOL, "", "blue"),
              spec -> spec.put("cidr", "10.65.0.0/24").put("blockSize", 28)));
      datastore.create(Resource.of(new ResourceKey.Named(Kind.NODE, "", "node-a"), _ -> {}));
      Output added = call(ocicat, container, "ADD").run();
      assertThat(added.json().at("/ips/0/address").asString()).startsWith("10.65.0.");

      try (Connection somebody = writing(ocicat.state().resolve("datastore.db"))) {
        Output promised = call(ocicat, container, "DEL").run();

        assertThat(promised.stderr()).contains("DEL will be finished later", "datastore");
        assertThat(ocicat.records("spool")).hasSize(1);
        assertThat(handles(datastore)).containsExactly("net.c1");
        assertThat(somebody.isClosed()).isFalse();
      }
      Eventually.passes(
          TIMEOUT,
          () -> {
            assertThat(ocicat.records("spool")).isEmpty();
            assertThat(handles(datastore)).isEmpty();
          });
    }
    assertThat(ocicat.oneShots()).isEmpty();
  }

  /** A writer that has begun a transaction and does not end it. */
  private static Connection writing(Path file) throws SQLException {
    Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
    try (Statement statement = connection.createStatement()) {
      statement.execute("BEGIN IMMEDIATE");
    }
    return connection;
  }

  private static List<String> handles(Datastore datastore) {
    return datastore.list(new ResourceQuery.Handles()).items().stream()
        .map(handle -> handle.key().name())
        .toList();
  }
}

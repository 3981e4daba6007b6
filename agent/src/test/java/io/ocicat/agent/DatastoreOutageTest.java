package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.testkit.Etcd;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * While etcd is away, the last state is kept and repaired; when it is back, it is followed again.
 */
@Hosts
class DatastoreOutageTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @RegisterExtension final Etcd etcd = new Etcd();
  @TempDir Path folder;

  private static String route(Host host, String destination) {
    return host.exec("ip", "route", "show", destination).stdout();
  }

  @Test
  void theLastStateIsKeptAndRepaired(Host host) {
    host.exec("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "up0");
    host.exec("ip", "address", "add", "192.168.7.1/24", "dev", "eth0");
    host.exec("ip", "link", "set", "up0", "up");
    host.exec("ip", "link", "set", "eth0", "up");
    DatastoreConfig config =
        DatastoreConfig.ofEnvironment(
            Map.of("DATASTORE_TYPE", "etcdv3", "ETCD_ENDPOINTS", etcd.url()));
    try (TestCluster cluster = new TestCluster(config)) {
      cluster.pool("p", "10.65.0.0/16", spec -> spec.put("ipipMode", "Never"));
      cluster.node("node1", "192.168.7.1/24");
      cluster.node("node2", "192.168.7.2/24");
      cluster.block("10.65.1.0/26", "node2");
      try (TestAgent agent =
          new TestAgent(host, cluster.datastore(), "node1", folder, Map.of()).awaitSync()) {
        assertThat(route(host, "10.65.1.0/26")).contains("via 192.168.7.2");
        etcd.kill();
        Eventually.passes(LIMIT, () -> assertThat(agent.status().unreachable()).isNotEmpty());
        host.exec("ip", "route", "del", "10.65.1.0/26");
        Eventually.passes(
            LIMIT, () -> assertThat(route(host, "10.65.1.0/26")).contains("via 192.168.7.2"));
        assertThat(agent.status().isReady()).as("routes are in force").isTrue();

        etcd.start();
        Eventually.passes(LIMIT, () -> assertThat(agent.status().unreachable()).isEmpty());
        cluster.block("10.65.2.0/26", "node2");
        Eventually.passes(
            LIMIT, () -> assertThat(route(host, "10.65.2.0/26")).contains("via 192.168.7.2"));
        cluster.delete(Kind.NODE, "node2");
        Eventually.passes(LIMIT, () -> assertThat(route(host, "10.65.1.0/26")).isEmpty());
      }
    }
  }
}

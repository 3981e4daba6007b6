package io.ocicat.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.testkit.Etcd;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The status of endpoints in a real etcd, with Felix's keys and values. */
@Hosts
class EndpointStatusKeysTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final String PREFIX = "/calico/felix/v2/no-region/host/node1/workload/";

  @RegisterExtension final Etcd etcd = new Etcd();
  @TempDir Path folder;

  @Test
  void readyEndpointsAreUpOthersDownAndNothingIsWrittenTwice(Host host) {
    host.exec("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "up0");
    host.exec("ip", "address", "add", "192.168.7.1/24", "dev", "eth0");
    host.exec("ip", "link", "set", "up0", "up");
    host.exec("ip", "link", "set", "eth0", "up");
    host.exec("ip", "link", "add", "cali1", "type", "veth", "peer", "name", "pod1");
    host.exec("ip", "link", "set", "pod1", "up");
    host.exec("ip", "link", "set", "cali1", "up");
    DatastoreConfig config =
        DatastoreConfig.ofEnvironment(
            Map.of("DATASTORE_TYPE", "etcdv3", "ETCD_ENDPOINTS", etcd.url()));
    try (TestCluster cluster = new TestCluster(config)) {
      cluster.create(
          Kind.FELIX_CONFIGURATION,
          "default",
          spec ->
              spec.put("endpointReportingEnabled", true).put("endpointReportingDelay", "100ms"));
      KeyValueStore store = ((KeyValueDatastore) cluster.datastore()).store();
      cluster.node("node1", "192.168.7.1/24");
      cluster.endpoint("node1", "web", "cali1", "ee:ee:ee:00:00:01", "10.65.2.7/32");
      cluster.endpoint("node1", "gone", "cali9", "ee:ee:ee:00:00:02", "10.65.2.8/32");
      Map<String, String> both =
          Map.of(
              "k8s/default%2fweb/endpoint/eth0", "{\"status\":\"up\"}",
              "k8s/default%2fgone/endpoint/eth0", "{\"status\":\"down\"}");
      try (TestAgent _ = agent(host, cluster)) {
        Eventually.passes(LIMIT, () -> assertThat(status(store)).isEqualTo(both));
      }
      List<Long> written = revisions(store);
      try (TestAgent again = agent(host, cluster)) {
        Eventually.await("ready", () -> again.status().readyEndpoints() == 1);
        cluster.deleteEndpoint("node1", "gone");
        Eventually.passes(
            LIMIT,
            () -> assertThat(status(store)).containsOnlyKeys("k8s/default%2fweb/endpoint/eth0"));
        assertThat(written).as("not written again").containsAll(revisions(store));

        cluster.edit(
            Kind.FELIX_CONFIGURATION,
            "default",
            spec -> spec.put("endpointReportingEnabled", false));
        Eventually.passes(LIMIT, () -> assertThat(status(store)).isEmpty());
      }
    }
  }

  private TestAgent agent(Host host, TestCluster cluster) {
    return new TestAgent(host, cluster.datastore(), "node1", folder.resolve("status"), Map.of())
        .awaitSync();
  }

  private static Map<String, String> status(KeyValueStore store) {
    Map<String, String> status = new TreeMap<>();
    for (KeyValue entry : store.range(RangeQuery.all(PREFIX)).entries()) {
      status.put(entry.key().substring(PREFIX.length()), entry.value());
    }
    return status;
  }

  private static List<Long> revisions(KeyValueStore store) {
    return store.range(RangeQuery.all(PREFIX)).entries().stream().map(KeyValue::modified).toList();
  }
}

package io.ocicat.bench;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.kubernetes.TestCluster;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.testkit.Etcd;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import tools.jackson.databind.node.ObjectNode;

/**
 * Measures the first ADD of calico after a daemon's start, on etcd and on the tests' API server
 * (which speaks no TLS here): with a network in the configuration directory, whose datastore the
 * daemon connects to in advance, and without.
 *
 * <p>Usage: {@code FirstDatastoreCalls <directory of the C programs> <distribution> [starts]}
 */
public final class FirstDatastoreCalls {
  private static final String NODE = "bench";
  private static final TargetFigure TARGET = TargetFigure.atMost(300, "ms");

  private final BenchHost benchHost;
  private final int starts;
  private final ResultTable table = new ResultTable();

  private FirstDatastoreCalls(BenchHost benchHost, int starts) {
    this.benchHost = benchHost;
    this.starts = starts;
  }

  public static void main(String[] args) throws Exception {
    Path home = Path.of(args[1]).toRealPath();
    int starts = args.length > 2 ? Integer.parseInt(args[2]) : 15;
    try (BenchHost benchHost =
            BenchHost.create(
                Path.of(args[0]).toAbsolutePath().resolve("cnicall"), home, "ocicat-first", 2);
        Etcd etcd = new Etcd(benchHost.folder()).start();
        TestCluster cluster = new TestCluster(ApiGroup.V1)) {
      cluster.node(NODE, Map.of(), List.of("10.64.0.0/24"));
      cluster.namespace("default", Map.of());
      ObjectNode pod = Json.object();
      pod.putObject("metadata").put("name", "bench").put("namespace", "default");
      pod.putObject("spec").put("nodeName", NODE);
      cluster.pod(pod);
      benchHost.set("CNI_ARGS", "IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=bench");
      FirstDatastoreCalls bench = new FirstDatastoreCalls(benchHost, starts);
      bench.measure(
          "etcd", Json.object().put("datastore_type", "etcdv3").put("etcd_endpoints", etcd.url()));
      ObjectNode kubernetes = Json.object().put("datastore_type", "kubernetes");
      kubernetes.putObject("kubernetes").put("k8s_api_root", cluster.url());
      bench.measure("Kubernetes", kubernetes);
      bench.table.print();
    }
  }

  private void measure(String engine, ObjectNode datastore) throws Exception {
    ObjectNode conf = datastore.deepCopy();
    conf.put("cniVersion", "1.0.0").put("name", "bench").put("type", "calico");
    conf.put("nodename", NODE).put("nodename_file_optional", true).put("log_level", "error");
    conf.putObject("ipam").put("type", "calico-ipam");
    conf.putObject("policy").put("type", "k8s");
    prepare(conf, engine.equals("etcd"));
    benchHost.config(engine, conf.toString());
    Path networks = Files.createDirectories(benchHost.folder().resolve(engine + ".d"));
    benchHost.set("NETCONFPATH", networks.toString());
    measure(engine + ": first ADD after a start, not configured", engine);
    Files.writeString(networks.resolve("10-calico.conf"), conf.toString());
    measure(engine + ": first ADD after a start", engine);
  }

  private void measure(String what, String engine) throws Exception {
    String ours =
        benchHost.contender("ours", benchHost.home().resolve("cni").toString(), engine, "calico");
    Sample first = new Sample("first");
    Sample second = new Sample("second");
    for (int i = 0; i < starts; i++) {
      try (OwnDaemon _ = OwnDaemon.start(benchHost)) {
        Sample adds = Objects.requireNonNull(benchHost.call("each", 1, 2, ours).get("ours add"));
        first.addAll(adds, 1, 1);
        second.addAll(adds, 2, 2);
      }
    }
    table.add(what + ", p50", first.percentile(0.5) / 1e6, "ms", TARGET);
    table.add("  the second", second.percentile(0.5) / 1e6, "ms", TargetFigure.NONE);
  }

  /** What calico/node would have done. */
  private static void prepare(ObjectNode conf, boolean withNode) {
    try (Datastores datastores = new Datastores()) {
      Datastore datastore = datastores.of(DatastoreConfig.ofCniConfig(conf, Map.of()));
      datastore.create(
          Resource.of(
              new ResourceKey.Named(Kind.CLUSTER_INFORMATION, "", "default"),
              spec -> spec.put("datastoreReady", true)));
      datastore.create(
          Resource.of(
              new ResourceKey.Named(Kind.IP_POOL, "", "pods"),
              spec -> spec.put("cidr", "10.65.0.0/16").put("natOutgoing", false)));
      if (withNode) {
        datastore.create(Resource.of(new ResourceKey.Named(Kind.NODE, "", NODE), _ -> {}));
      }
    }
  }
}

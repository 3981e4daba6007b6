package io.ocicat.sandbox.pods;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.PodMetadata;
import io.ocicat.sandbox.PodPort;
import io.ocicat.sandbox.TestNode;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole chain: calico, calico-ipam, portmap and bandwidth on the embedded datastore. */
@Hosts
class CalicoPodTest {
  private static final String CALICO =
      """
      {"cniVersion":"0.3.1","name":"k8s-pod-network","plugins":[
        {"type":"calico","datastore_type":"embedded","nodename":"node-a","nodename_file_optional":true,
         "mtu":1450,"ipam":{"type":"calico-ipam"},"policy":{"type":"k8s"}},
        {"type":"portmap","snat":true,"capabilities":{"portMappings":true}},
        {"type":"bandwidth","capabilities":{"bandwidth":true}}]}
      """;

  /** The host's address outside. */
  static final String OUTSIDE = "192.0.2.1";

  /** Configures the network, on a host with an uplink. */
  static Datastore network(TestNode node, Host router) {
    Datastore datastore =
        node.datastores()
            .of(
                DatastoreConfig.ofCniConfig(
                    Json.object().put("datastore_type", "embedded"),
                    Map.of("OCICAT_STATE_DIR", node.folder().resolve("ocicat").toString())));
    datastore.create(
        Resource.of(
            new ResourceKey.Named(Kind.CLUSTER_INFORMATION, "", "default"),
            spec -> spec.put("datastoreReady", true)));
    datastore.create(Resource.of(new ResourceKey.Named(Kind.NODE, "", "node-a"), _ -> {}));
    datastore.create(
        Resource.of(
            new ResourceKey.Named(Kind.IP_POOL, "", "pods"),
            spec -> spec.put("cidr", "10.70.0.0/24").put("natOutgoing", true)));
    node.network("10-calico.conflist", CALICO);
    // The host answers for the pods' gateway only if it has a route to it, as hosts do.
    node.host().connect(router, OUTSIDE + "/24", "192.0.2.254/24");
    node.host().exec("ip", "route", "add", "default", "via", "192.0.2.254");
    return datastore;
  }

  @Test
  void podsOnCalicosNetwork(@TempDir Path folder, Host host, Host router) {
    try (TestNode node = new TestNode(folder, host)) {
      Datastore datastore = network(node, router);
      PodSandboxes pods = node.sandboxes();

      SandboxStatus web =
          pods.status(
              pods.run(
                  PodConfig.of(new PodMetadata("web", "shop", "u-web", 0))
                      .labels(Map.of("app", "web"))
                      .ports(List.of(new PodPort(Protocol.TCP, 80, 8080, "")))
                      .annotations(
                          Map.of(
                              "kubernetes.io/ingress-bandwidth", "10M",
                              "cni.projectcalico.org/ipAddrs", "[\"10.70.0.77\"]"))
                      .build(),
                  ""));
      SandboxStatus client =
          pods.status(
              pods.run(PodConfig.of(new PodMetadata("client", "shop", "u-client", 0)).build(), ""));
      assertThat(web.ips()).containsExactly("10.70.0.77");
      assertThat(client.ips().getFirst()).startsWith("10.70.0.");
      assertThat(datastore.list(ResourceQuery.of(Kind.WORKLOAD_ENDPOINT)).items())
          .hasSize(2)
          .anySatisfy(endpoint -> assertThat(endpoint.toString()).contains("web"));
      node.in(client, "ping", "-c1", "-W5", "10.70.0.77").run();
      try (Background server =
          node.in(web, "busybox", "nc", "-ll", "-p", "80", "-e", "echo", "hello").start()) {
        assertThat(server.isAlive()).isTrue();
        Eventually.await(
            "the server to listen",
            () -> node.in(web, "ss", "-ltn").run().stdout().contains(":80 "));
        assertThat(
                node.in(client, "sh", "-c", "busybox nc -w5 192.0.2.1 8080 </dev/null")
                    .run()
                    .stdout())
            .contains("hello");
      }
      assertThat(host.exec("tc", "qdisc", "show").stdout()).contains("rate 10Mbit");

      pods.remove(web.id());
      pods.stop(client.id());
      pods.remove(client.id());
      assertThat(datastore.list(ResourceQuery.of(Kind.WORKLOAD_ENDPOINT)).items()).isEmpty();
      assertThat(datastore.list(ResourceQuery.of(Kind.IPAM_HANDLE)).items()).isEmpty();
      assertThat(datastore.cluster().pod("shop", "web")).isEmpty();
      assertThat(host.exec("ip", "-br", "link").stdout()).doesNotContain("cali");
      assertThat(host.exec("tc", "qdisc", "show").stdout()).doesNotContain("tbf");
      assertThat(node.traces())
          .noneMatch(line -> line.startsWith("state/") || line.startsWith("cache/results/"));
    }
  }
}

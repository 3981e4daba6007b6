package io.ocicat.sandbox.pods;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.datastore.cluster.Pod;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.PodMetadata;
import io.ocicat.sandbox.PodPort;
import io.ocicat.sandbox.TestNode;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pods on flannel, on the Go plugins, and on a network that looks pods up in a datastore. */
@Hosts
class OtherNetworksTest {
  private static final Path GO = Path.of("/usr/lib/cni");

  private TestNode node;

  @BeforeEach
  void start(@TempDir Path folder, Host host) {
    node = new TestNode(folder, host);
  }

  @AfterEach
  void end() {
    node.close();
  }

  private static PodConfig.Builder pod(String name) {
    return PodConfig.of(new PodMetadata(name, "shop", "u-" + name, 0));
  }

  /** Configures flannel as flanneld's file and a conflist do. */
  static void flannel(TestNode node) throws IOException {
    Files.writeString(
        node.folder().resolve("subnet.env"),
        "FLANNEL_NETWORK=10.5.0.0/16\nFLANNEL_SUBNET=10.5.7.1/24\nFLANNEL_MTU=1400\nFLANNEL_IPMASQ=true\n");
    node.network(
        "10-flannel.conflist",
        """
        {"cniVersion":"0.3.1","name":"cbr0","plugins":[
          {"type":"flannel","subnetFile":"@folder@/subnet.env","dataDir":"@folder@/flannel",
           "ipam":{"dataDir":"@folder@/leases"},
           "delegate":{"hairpinMode":true,"isDefaultGateway":true}},
          {"type":"portmap","snat":true,"capabilities":{"portMappings":true}},
          {"type":"bandwidth","capabilities":{"bandwidth":true}}]}
        """);
  }

  @Test
  void podsOnFlannelsNetwork() throws IOException {
    flannel(node);
    PodSandboxes pods = node.sandboxes();
    SandboxStatus a = pods.status(pods.run(pod("a").build(), ""));
    SandboxStatus b = pods.status(pods.run(pod("b").build(), ""));
    assertThat(a.ips().getFirst()).startsWith("10.5.7.");
    node.in(a, "ping", "-c1", "-W5", b.ips().getFirst()).run();
    pods.remove(a.id());
    pods.remove(b.id());
    assertThat(node.traces())
        .noneMatch(line -> line.startsWith("flannel/") || line.startsWith("leases/cbr0/10."));
  }

  @Test
  void pluginsWrittenInGo() {
    assertThat(GO.resolve("bridge")).exists();
    node.network(
        "10-blue.conflist",
        PodLifeTest.BRIDGE.replace("\"cniVersion\":\"1.0.0\"", "\"cniVersion\":\"0.4.0\""));
    PodSandboxes pods = new PodSandboxes(node.sandboxSettings(), node.networks(GO));
    PodConfig config =
        pod("go")
            .ports(List.of(new PodPort(Protocol.TCP, 80, 8080, "")))
            .annotations(Map.of("kubernetes.io/ingress-bandwidth", "1M"))
            .build();
    SandboxStatus pod = pods.status(pods.run(config, ""));
    assertThat(pod.ips()).containsExactly("10.65.0.2");
    assertThat(node.host().exec("tc", "qdisc", "show").stdout()).contains("rate 1Mbit");
    pods.remove(pod.id());
    assertThat(node.traces()).noneMatch(line -> line.startsWith("leases/blue/10."));
    assertThat(node.host().exec("tc", "qdisc", "show").stdout()).doesNotContain("tbf");
  }

  @Test
  void whoLooksPodsUpFindsThem() throws IOException {
    Path plugins = Files.createDirectories(node.folder().resolve("fakes"));
    TestNode.executable(
        plugins.resolve("calico"),
        """
        case $CNI_COMMAND in
        VERSION) echo '{"cniVersion":"1.0.0","supportedVersions":["0.3.1"]}' ;;
        ADD) cat >/dev/null; echo '{"cniVersion":"0.3.1","ips":[{"version":"4","address":"10.9.0.7/32"}]}' ;;
        *) cat >/dev/null ;;
        esac
        """);
    Path directory = node.folder().resolve("ocicat");
    node.network(
        "10-calico.conflist",
        "{\"cniVersion\":\"0.3.1\",\"name\":\"k8s-pod-network\",\"plugins\":[{\"type\":\"calico\",\"datastore_type\":\"embedded\"}]}");
    PodSandboxes pods = new PodSandboxes(node.sandboxSettings(), node.networks(plugins));
    String id =
        pods.run(
            pod("web")
                .labels(Map.of("app", "web"))
                .annotations(Map.of("k", "v"))
                .ports(List.of(new PodPort(Protocol.TCP, 80, 8080, "")))
                .build(),
            "");
    KeyValueDatastore datastore =
        (KeyValueDatastore)
            node.datastores()
                .of(
                    DatastoreConfig.ofCniConfig(
                        Json.object().put("datastore_type", "embedded"),
                        Map.of("OCICAT_STATE_DIR", directory.toString())));
    Pod told = datastore.cluster().pod("shop", "web").orElseThrow();
    assertThat(told.uid()).isEqualTo("u-web");
    assertThat(told.labels()).containsExactly(Map.entry("app", "web"));
    assertThat(told.annotations()).containsExactly(Map.entry("k", "v"));
    assertThat(told.ports()).containsExactly(new Pod.Port("", "TCP", 80, 8080, ""));
    pods.remove(id);
    assertThat(datastore.cluster().pod("shop", "web")).isEmpty();
  }
}

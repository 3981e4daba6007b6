package io.ocicat.plugins.calico;

import static io.ocicat.plugins.calico.CalicoContract.V4;
import static io.ocicat.plugins.calico.CalicoContract.only;
import static io.ocicat.plugins.calico.CalicoContract.sysctl;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniJson;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.plugins.calico.CalicoNode.Calling;
import io.ocicat.testkit.Host;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Containers that are not pods. */
interface ContainerScenarios {
  Store store();

  CalicoNode node(Host host);

  @Test
  default void aContainerGetsAVethAnEndpointAndAProfile(Host host, Host pod) {
    CalicoNode node = node(host);
    Calling eth0 = node.call(node.config(V4), pod);
    String veth = "cali" + pod.name().substring(0, Math.min(11, pod.name().length()));

    JsonNode result = eth0.add().ok();

    assertThat(result.at("/interfaces/0/name").asString()).isEqualTo(veth);
    assertThat(result.at("/interfaces/0").has("mac")).isFalse();
    assertThat(result.at("/interfaces/1/name").asString()).isEqualTo("eth0");
    assertThat(result.at("/interfaces/1/sandbox").asString()).isEqualTo(pod.path().toString());
    assertThat(result.at("/ips").size()).isEqualTo(1);
    assertThat(result.at("/ips/0/address").asString()).isEqualTo("10.65.0.2/32");
    assertThat(result.at("/ips/0/interface").asInt()).isEqualTo(1);
    assertThat(result.at("/ips/0").has("gateway")).isFalse();

    String mac = result.at("/interfaces/1/mac").asString();
    Resource endpoint = only(node);
    assertThat(endpoint.key().name())
        .isEqualTo("node--a-cni-%s-eth0".formatted(pod.name().replace("-", "--")));
    assertThat(endpoint.key().namespace()).isEqualTo("default");
    assertThat(endpoint.content().path("spec"))
        .isEqualTo(
            CniJson.parse(
                """
                {"orchestrator": "cni", "node": "node-a", "containerID": "%s", "endpoint": "eth0",
                 "ipNetworks": ["10.65.0.2/32"], "profiles": ["net1"],
                 "interfaceName": "%s", "mac": "%s"}
                """
                    .formatted(pod.name(), veth, mac)));
    assertThat(endpoint.labels())
        .isEqualTo(
            Map.of(
                "projectcalico.org/namespace", "default", "projectcalico.org/orchestrator", "cni"));
    assertThat(store().get(Kind.PROFILE, "", "net1").orElseThrow().content().path("spec"))
        .isEqualTo(
            CniJson.parse(
                """
                {"ingress": [{"action": "Allow", "source": {"selector": "has(net1)"}}],
                 "egress": [{"action": "Allow"}],
                 "labelsToApply": {"net1": ""}}
                """));

    JsonNode outside = host.json("ip", "-j", "link", "show", veth).get(0);
    assertThat(outside.path("address").asString()).isEqualTo("ee:ee:ee:ee:ee:ee");
    assertThat(outside.path("mtu").asInt()).isEqualTo(1500);
    assertThat(outside.path("flags").toString()).contains("\"UP\"");
    assertThat(sysctl(host, "ipv4/conf/%s/proxy_arp", veth)).isEqualTo("1");
    assertThat(sysctl(host, "ipv4/conf/%s/route_localnet", veth)).isEqualTo("1");
    assertThat(sysctl(host, "ipv4/conf/%s/forwarding", veth)).isEqualTo("1");
    assertThat(sysctl(host, "ipv4/neigh/%s/proxy_delay", veth)).isEqualTo("0");
    assertThat(sysctl(host, "ipv6/conf/%s/accept_ra", veth)).isEqualTo("0");
    assertThat(sysctl(pod, "ipv4/ip_forward", "")).isEqualTo("0");
    assertThat(host.exec("ip", "route").stdout()).contains("10.65.0.2 dev " + veth + " scope link");
    assertThat(pod.exec("ip", "route").stdout().lines().map(String::strip))
        .containsExactly("default via 169.254.1.1 dev eth0", "169.254.1.1 dev eth0 scope link");
    JsonNode inside = pod.json("ip", "-j", "address", "show", "eth0").get(0);
    assertThat(inside.path("address").asString()).isEqualTo(mac);
    assertThat(inside.at("/addr_info/0/local").asString()).isEqualTo("10.65.0.2");
    assertThat(inside.at("/addr_info/0/prefixlen").asInt()).isEqualTo(32);

    eth0.previous(result).check().ok();
    eth0.status().ok();
    eth0.del().ok();
    assertThat(node.traces()).isEmpty();
    assertThat(pod.json("ip", "-j", "link").size()).isEqualTo(1);
    eth0.del().ok();
  }

  @Test
  default void aSecondAddOfAContainerAnswersWhatIsThere(Host host, Host pod) {
    CalicoNode node = node(host);
    Calling eth0 = node.call(node.config(V4).put("cniVersion", "1.0.0"), pod);
    JsonNode first = eth0.add().ok();
    Resource before = only(node);

    JsonNode second = eth0.add().ok();

    assertThat(second.path("ips")).isEqualTo(first.path("ips"));
    assertThat(second.path("interfaces")).isEqualTo(first.path("interfaces"));
    assertThat(only(node)).isEqualTo(before);

    eth0.set("name", CniJson.parse("\"net2\"")).add().ok();
    assertThat(only(node).content().at("/spec/profiles").toString())
        .isEqualTo("[\"net1\",\"net2\"]");
    assertThat(store().get(Kind.PROFILE, "", "net2")).isPresent();
    eth0.del().ok();
    assertThat(node.traces()).isEmpty();
  }

  @Test
  default void nothingIsDoneForAContainerWhileTheClusterIsNotReady(Host host, Host pod) {
    CalicoNode node = node(host);
    Calling eth0 = node.call(node.config(V4), pod);
    store().ready(false);

    assertThat(eth0.add().error().msg())
        .isEqualTo("Calico is currently not ready to process requests");
    assertThat(eth0.del().error().code().value()).isEqualTo(11);
    assertThat(node.traces()).isEmpty();
  }

  @Test
  default void aContainersAddressesAreOfThePools(Host host, Host pod) {
    CalicoNode node = node(host);
    store().pool("pods", "10.65.0.0/24", false);
    Calling eth0 =
        node.call(node.pooled(Families.V4), pod)
            .set("policy", CniJson.parse("{}"))
            .set("cniVersion", CniJson.parse("\"1.0.0\""));

    JsonNode first = eth0.add().ok();

    assertThat(first.path("routes").toString()).contains("\"dst\":\"10.65.0.");
    assertThat(store().assigned()).hasSize(1);
    JsonNode second = eth0.add().ok();
    assertThat(second.path("ips")).isEqualTo(first.path("ips"));
    assertThat(second.has("routes")).isFalse();
    pod.exec("ip", "link", "set", "eth0", "down");
    eth0.add().ok();
    assertThat(store().assigned()).as("the reservation is the same").hasSize(1);
    eth0.del().ok();
    assertThat(store().assigned()).isEmpty();
    assertThat(node.traces()).isEmpty();
  }
}

package io.ocicat.plugins.calico;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.datastore.cluster.Cluster;
import io.ocicat.datastore.cluster.Pod;
import io.ocicat.datastore.cluster.PodNamespace;
import io.ocicat.datastore.cluster.PodNode;
import io.ocicat.datastore.cluster.VirtualMachine;
import io.ocicat.datastore.passing.PassingDatastore;
import io.ocicat.plugins.calico.CalicoNode.Calling;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The annotations of pods and namespaces, and the pod ranges of nodes. */
@Hosts
class CalicoAnnotationsTest {
  private static final String V4_V6 =
      """
      {"cniVersion": "1.1.0", "ips": [{"address": "10.65.0.7/26"}, {"address": "fd00:65::7/122"}],
       "routes": [{"dst": "10.65.0.7/26"}, {"dst": "fd00:65::7/122"}]}
      """;

  @TempDir Path files;
  @TempDir Path state;
  @TempDir Path bin;

  @SuppressWarnings("NullAway.Init") // by open
  private Store store;

  @SuppressWarnings("NullAway.Init") // by open
  private ScriptedIpam ipam;

  @BeforeEach
  void open() {
    store = Store.embedded(state);
    store.reset();
    ipam = ScriptedIpam.in(bin, "calico-ipam", V4_V6);
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** A pod with annotations on a host whose calico-ipam is scripted. */
  private Calling web(Host host, Host pod, String annotation, String value) {
    store.put(Store.pod("test", "web-0", Map.of("cni.projectcalico.org/" + annotation, value)));
    CalicoNode node = CalicoNode.of(host, store, files).withPath(bin);
    return node.pod(node.kubernetes(), pod, "test", "web-0")
        .set(
            "ipam",
            CniJson.parse("{\"type\": \"calico-ipam\", \"assign_ipv6\": true, \"own\": 1}"));
  }

  private JsonNode spec() {
    return store.endpoints().getFirst().content().path("spec");
  }

  @Test
  void ipamIsAskedWithEverythingAndItsRoutesAreHandedOn(Host host, Host pod) {
    JsonNode result = web(host, pod, "nothing", "").add().ok();

    assertThat(result.path("routes").toString())
        .isEqualTo("[{\"dst\":\"10.65.0.7/26\"},{\"dst\":\"fd00:65::7/122\"}]");
    assertThat(result.at("/ips/0/address").asString()).isEqualTo("10.65.0.7/32");
    assertThat(result.at("/ips/1/address").asString()).isEqualTo("fd00:65::7/128");
    assertThat(ipam.asked("ADD").at("/ipam/own").asInt()).isEqualTo(1);
    assertThat(ipam.asked("ADD").at("/ipam/assign_ipv6").asString()).isEqualTo("true");
    assertThat(ipam.calls().getFirst())
        .endsWith("IgnoreUnknown=1;K8S_POD_NAME=web-0;K8S_POD_NAMESPACE=test");
    assertThat(host.exec("ip", "route").stdout()).contains("10.65.0.7 dev cali7b07e5871ca");
  }

  @Test
  void poolsAndFamiliesOfThePodReplaceThoseConfigured(Host host, Host pod, Host next) {
    web(host, pod, "ipv4pools", "[\"blue\", \"10.9.0.0/16\"]").add().ok();

    assertThat(ipam.asked("ADD").at("/ipam/ipv4_pools").toString())
        .isEqualTo("[\"blue\",\"10.9.0.0/16\"]");

    web(host, next, "ipFamilies", "[\"IPv6\"]").add();
    assertThat(ipam.asked("ADD").at("/ipam/assign_ipv4").asString()).isEqualTo("false");
    assertThat(ipam.asked("ADD").at("/ipam/assign_ipv6").asString()).isEqualTo("true");
  }

  @Test
  void theNamespaceHasTheDefaultForItsPods(Host host, Host pod) {
    Calling eth0 = web(host, pod, "ipv6pools", "[\"six\"]");
    CalicoNode node =
        eth0.node()
            .between(
                behind ->
                    new PassingDatastore(behind) {
                      @Override
                      public Cluster cluster() {
                        return new Described(super.cluster());
                      }
                    });

    eth0.on(node).add().ok();

    assertThat(ipam.asked("ADD").at("/ipam/ipv4_pools").toString()).isEqualTo("[\"four\"]");
    assertThat(ipam.asked("ADD").at("/ipam/ipv6_pools").toString()).isEqualTo("[\"six\"]");
  }

  /** With a namespace that has annotations and a node that has ranges. */
  private record Described(Cluster behind) implements Cluster {
    @Override
    public Optional<Pod> pod(String namespace, String name) {
      return behind.pod(namespace, name);
    }

    @Override
    public Optional<PodNamespace> namespace(String name) {
      return Optional.of(
          new PodNamespace(
              name,
              Map.of(),
              Map.of(
                  "cni.projectcalico.org/ipv4pools", "[\"four\"]",
                  "cni.projectcalico.org/ipv6pools", "[\"not this\"]")));
    }

    @Override
    public Optional<PodNode> node(String name) {
      return switch (name) {
        case "node-a" ->
            Optional.of(
                new PodNode(name, Map.of(), Map.of(), List.of("10.10.0.0/24", "dead:beef::/96")));
        case "single" ->
            Optional.of(new PodNode(name, Map.of(), Map.of(), List.of("10.10.0.0/24")));
        case "twice" ->
            Optional.of(
                new PodNode(name, Map.of(), Map.of(), List.of("10.10.0.0/24", "10.11.0.0/24")));
        default -> Optional.empty();
      };
    }

    @Override
    public Optional<VirtualMachine> virtualMachine(String namespace, String name) {
      return behind.virtualMachine(namespace, name);
    }

    @Override
    public Optional<VirtualMachine> virtualMachineInstance(String namespace, String name) {
      return behind.virtualMachineInstance(namespace, name);
    }
  }

  @Test
  void addressesAreAskedForOneByOne(Host host, Host pod, Host next) {
    ipam.answer("{\"cniVersion\": \"1.1.0\", \"ips\": [{\"address\": \"10.65.0.9/32\"}]}");

    web(host, pod, "ipAddrs", "[\"10.65.0.9\"]").add().ok();

    assertThat(ipam.calls().getFirst()).endsWith(";IP=10.65.0.9");
    assertThat(spec().path("ipNetworks").toString()).isEqualTo("[\"10.65.0.9/32\"]");
    assertThat(host.exec("ip", "route").stdout()).contains("10.65.0.9 dev cali7b07e5871ca");

    web(host, next, "ipAddrs", "[\"10.65.0.9\"]").add();
    assertThat(ipam.calls().get(1))
        .as("what its container before had")
        .startsWith("DEL " + pod.name());
  }

  @Test
  void addressesWithoutIpamNeedTheFeature(Host host, Host pod) {
    Calling eth0 = web(host, pod, "ipAddrsNoIpam", "[\"10.99.0.1\", \"fd00:99::1\"]");
    assertThat(eth0.add().error().msg())
        .isEqualTo("requested feature is not enabled: ip_addrs_no_ipam");

    JsonNode result =
        eth0.set("feature_control", CniJson.parse("{\"ip_addrs_no_ipam\": true}")).add().ok();

    assertThat(result.at("/ips/1/address").asString()).isEqualTo("fd00:99::1/128");
    assertThat(ipam.calls()).isEmpty();
    assertThat(host.exec("ip", "route").stdout()).contains("10.99.0.1 dev cali7b07e5871ca");
    eth0.del().ok();
    assertThat(ipam.calls()).hasSize(1);
    assertThat(store.endpoints()).isEmpty();
  }

  @Test
  void floatingAddressesLeadToTheOneOfTheirFamily(Host host, Host pod, Host again) {
    Calling eth0 = web(host, pod, "floatingIPs", "[\"198.51.100.9\", \"2001:db8::9\"]");
    assertThat(eth0.add().error().msg())
        .isEqualTo("requested feature is not enabled: floating_ips");
    assertThat(ipam.calls()).isEmpty();

    Calling allowed = eth0.set("feature_control", CniJson.parse("{\"floating_ips\": true}"));
    allowed.add().ok();
    assertThat(spec().path("ipNATs").toString())
        .isEqualTo(
            "[{\"internalIP\":\"10.65.0.7\",\"externalIP\":\"198.51.100.9\"},"
                + "{\"internalIP\":\"fd00:65::7\",\"externalIP\":\"2001:db8::9\"}]");

    ipam.answer(V4_V6.replace("10.65.0.7", "10.65.0.8"));
    allowed.withNetns(again.path().toString()).container("next").add().ok();
    assertThat(spec().at("/ipNATs/0/internalIP").asString()).isEqualTo("10.65.0.8");
    assertThat(spec().path("ipNATs").size()).isEqualTo(2);
  }

  @Test
  void aFloatingAddressOfAFamilyThatThePodDoesNotHaveIsRefused(Host host, Host pod) {
    ipam.answer("{\"cniVersion\": \"1.1.0\", \"ips\": [{\"address\": \"10.65.0.9/32\"}]}");
    Calling eth0 =
        web(host, pod, "floatingIPs", "[\"2001:db8::9\"]")
            .set("feature_control", CniJson.parse("{\"floating_ips\": true}"));

    assertThat(eth0.add().error().msg()).contains("floatingIPs holds 2001:db8::9");
    assertThat(eth0.node().traces()).isEmpty();
  }

  @Test
  void theHardwareAddressIsThePodsChoice(Host host, Host pod) {
    JsonNode result = web(host, pod, "hwAddr", "1c:0c:0a:c0:ff:ee").add().ok();

    assertThat(result.at("/interfaces/1/mac").asString()).isEqualTo("1c:0c:0a:c0:ff:ee");
    assertThat(spec().path("mac").asString()).isEqualTo("1c:0c:0a:c0:ff:ee");
    assertThat(pod.json("ip", "-j", "link", "show", "eth0").get(0).path("address").asString())
        .isEqualTo("1c:0c:0a:c0:ff:ee");
  }

  @Test
  void allowedSourcePrefixesAreNetworks(Host host, Host pod) {
    web(host, pod, "allowedSourcePrefixes", "[\"10.8.7.6/8\", \"fd00::1/64\"]").add().ok();

    assertThat(spec().path("allowSpoofedSourcePrefixes").toString())
        .isEqualTo("[\"10.0.0.0/8\",\"fd00::/64\"]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          ipv4pools             | blue                       | must be a JSON list of texts
          ipv4pools             | {"a": 1}                   | must be a JSON list of texts
          ipv6pools             | [1]                        | must be a JSON list of texts
          ipFamilies            | ["ipv4"]                   | may hold "IPv4" and "IPv6", not "ipv4"
          ipFamilies            | []                         | must hold "IPv4", "IPv6" or both
          ipAddrs               | []                         | must hold at least one address
          ipAddrs               | ["10.0.0.300"]             | holds what cannot be used
          ipAddrs               | ["10.0.0.1","10.0.0.2"]    | may hold at most one IPv4 and one IPv6
          ipAddrsNoIpam         | ["10.0.0.1","10.0.0.2"]    | may hold at most one IPv4 and one IPv6
          floatingIPs           | "10.0.0.1"                 | must be a JSON list of texts
          allowedSourcePrefixes | ["10.0.0.0/33"]            | holds what cannot be used
          hwAddr                | none                       | holds what cannot be used
          """)
  void whatCannotBeMeantIsRefusedBeforeAnythingIsMade(
      String annotation, String value, String error, Host host, Host pod) {
    CniException refused = web(host, pod, annotation, value).add().error();

    assertThat(refused.msg()).contains("annotation cni.projectcalico.org/" + annotation, error);
    assertThat(ipam.calls()).isEmpty();
  }

  @Test
  void bothKindsOfFixedAddressesAreTooMany(Host host, Host pod) {
    Calling eth0 = web(host, pod, "ipAddrs", "[\"10.0.0.1\"]");
    store.put(
        Store.pod(
            "test",
            "web-0",
            Map.of(
                "cni.projectcalico.org/ipAddrs", "[\"10.0.0.1\"]",
                "cni.projectcalico.org/ipAddrsNoIpam", "[\"10.0.0.1\"]")));

    assertThat(eth0.add().error().msg()).contains("ipAddrs cannot be used together with");
  }

  @Test
  void theRuntimeMayHandAnnotationsOn(Host host, Host pod) {
    CalicoNode node = CalicoNode.of(host, store, files).withPath(bin);
    Calling eth0 =
        node.pod(node.kubernetes(), pod, "test", "unknown-to-all")
            .set("ipam", CniJson.parse("{\"type\": \"calico-ipam\"}"))
            .set(
                "runtimeConfig",
                CniJson.parse(
                    """
                    {"io.kubernetes.cri.pod-annotations":
                      {"cni.projectcalico.org/hwAddr": "1c:0c:0a:c0:ff:ee"}}
                    """));

    eth0.add().ok();

    assertThat(spec().path("mac").asString()).isEqualTo("1c:0c:0a:c0:ff:ee");
    assertThat(spec().path("profiles").toString()).isEqualTo("[\"kns.test\"]");
  }

  private Calling local(Host host, Host pod, String name, String ipamMembers) {
    CalicoNode node =
        CalicoNode.of(host, store, files)
            .named(name)
            .between(
                behind ->
                    new PassingDatastore(behind) {
                      @Override
                      public Cluster cluster() {
                        return new Described(super.cluster());
                      }
                    });
    ObjectNode ipamConfig = (ObjectNode) CniJson.parse(ipamMembers);
    ipamConfig.put("type", "host-local").put("dataDir", files.resolve("leases").toString());
    return node.pod(node.kubernetes(), pod, "test", "web-0").set("ipam", ipamConfig);
  }

  @Test
  void besideRangesOfTheNodeOthersOfTheFamilyMayBeNamed(Host host, Host pod) {
    Calling eth0 =
        local(
            host,
            pod,
            "node-a",
            """
            {"ranges": [[{"subnet": "usePodCidr"}], [{"subnet": "10.20.0.0/24"}]]}
            """);

    eth0.status().ok();
    JsonNode result = eth0.add().ok();

    assertThat(result.path("ips").findValuesAsString("address"))
        .containsExactly("10.10.0.2/32", "10.20.0.2/32");
    eth0.previous(result).check().ok();
    eth0.del().ok();
    assertThat(files.resolve("leases/net1/10.10.0.2")).doesNotExist();
    assertThat(files.resolve("leases/net1/10.20.0.2")).doesNotExist();
  }

  @Test
  void rangesOfTheNodeAreUsed(Host host, Host pod) {
    Calling eth0 =
        local(
            host,
            pod,
            "node-a",
            """
            {"ranges": [[{"subnet": "usePodCidr"}], [{"subnet": "USEPODCIDRIPV6"}]],
             "routes": [{"dst": "10.123.0.0/16", "gw": "10.123.0.1"}, {"dst": "cafe::/64"}]}
            """);

    JsonNode result = eth0.add().ok();

    assertThat(result.at("/ips/0/address").asString()).isEqualTo("10.10.0.2/32");
    assertThat(result.at("/ips/1/address").asString()).isEqualTo("dead:beef::2/128");
    assertThat(pod.exec("ip", "route").stdout())
        .contains("10.123.0.0/16 via 169.254.1.1 dev eth0")
        .doesNotContain("default");
    assertThat(pod.exec("ip", "-6", "route").stdout())
        .contains("cafe::/64 via fe80::ecee:eeff:feee:eeee dev eth0")
        .doesNotContain("default");
    eth0.del().ok();
    assertThat(files.resolve("leases/net1/10.10.0.2")).doesNotExist();

    eth0.set("include_default_routes", CniJson.parse("true")).add().ok();
    assertThat(pod.exec("ip", "route").stdout())
        .contains("10.123.0.0/16 via 169.254.1.1", "default via 169.254.1.1");
  }

  @ParameterizedTest
  @CsvSource({
    "node-a,usePodCidr,",
    "single,usePodCidrIPv6,found but there is no IPv6 CIDR configured",
    "twice,usePodCidr,ClusterCIDR contains two ranges of the same type",
    "nobody,usePodCidr,no podCidr for node nobody"
  })
  void aNodeWithoutTheRangeIsTold(String name, String subnet, String error, Host host, Host pod) {
    Calling eth0 = local(host, pod, name, "{\"subnet\": \"%s\"}".formatted(subnet));

    if (error == null) {
      assertThat(eth0.add().ok().at("/ips/0/address").asString()).isEqualTo("10.10.0.2/32");
    } else {
      assertThat(eth0.add().error().msg()).contains(error);
      eth0.del().ok();
    }
  }
}

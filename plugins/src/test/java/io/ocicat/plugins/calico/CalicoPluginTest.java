package io.ocicat.plugins.calico;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.plugins.Ran;
import io.ocicat.plugins.calico.CalicoNode.Calling;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Loopback;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What is the same with every engine: options, files, logs, redaction, CHECK. */
@Hosts
class CalicoPluginTest {
  private static final String V4 = "10.65.0.0/24";

  @TempDir Path files;
  @TempDir Path state;

  @SuppressWarnings("NullAway.Init") // by open
  private Store store;

  @BeforeEach
  void open() {
    store = Store.embedded(state);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private CalicoNode node(Host host) {
    return CalicoNode.of(host, store, files);
  }

  /** A manual experiment: one plugin of a list, as jq prints it, without K8S_ arguments. */
  @Test
  void anEmptyEmbeddedDatastoreIsGoodEnoughForAnExperiment(Host host, Host pod) {
    CalicoNode node = node(host);
    Calling eth0 = node.call(node.config(V4), pod).container("test-container-123");

    eth0.add().ok();

    assertThat(pod.exec("ip", "address").stdout()).contains("10.65.0.2/32");
    assertThat(host.exec("ip", "route").stdout()).contains("dev calitest-contai");
    assertThat(store.endpoints().getFirst().key().name())
        .isEqualTo("node--a-cni-test--container--123-eth0");
    eth0.del().ok();
    assertThat(node.traces()).isEmpty();
  }

  @Test
  void containersWhoseIdsBeginAlikeKeepTheirVeths(Host host, Host a, Host b) {
    CalicoNode node = node(host);
    CalicoContract.giveAddresses(host);
    Calling first = node.call(node.config(V4), a).container("0123456789abc-one");
    Calling second = node.call(node.config(V4), b).container("0123456789abc-two");

    JsonNode one = first.add().ok();
    JsonNode two = second.add().ok();

    assertThat(one.at("/interfaces/0/name").asString()).isEqualTo("cali0123456789a");
    assertThat(two.at("/interfaces/0/name").asString()).isNotEqualTo("cali0123456789a");
    a.exec("ping", "-c1", "-W5", CalicoContract.address(two, 0));
    second.previous(two).check().ok();
    second.del().ok();
    first.previous(one).check().ok();
    first.del().ok();
    assertThat(node.traces()).isEmpty();
  }

  @Test
  void idsAndInterfacesThatCalicoCannotWriteDownAreTakenToo(Host host, Host pod) {
    CalicoNode node = node(host);
    Calling odd = node.call(node.config(V4), pod).container("A_b.c-D").with("CNI_IFNAME", "@-_.");

    JsonNode result = odd.add().ok();

    odd.previous(result).check().ok();
    assertThat(store.endpoints()).hasSize(1);
    odd.del().ok();
    assertThat(node.traces()).isEmpty();
  }

  @Test
  void whatLeavesAPoolWithNatOutgoingIsHidden(Host host, Host pod, Host neighbour, Host outside) {
    store.reset();
    store.pool("pods", "10.65.0.0/16", true);
    store.pool("plain", "10.66.0.0/16", false);
    host.connect(outside, "192.0.2.1/24", "192.0.2.2/24");
    host.exec("ip", "route", "add", "default", "via", "192.0.2.2");
    CalicoNode node = node(host);
    Calling eth0 = node.call(node.config(V4), pod);
    JsonNode result = eth0.add().ok();
    node.call(node.config("10.66.0.0/24"), neighbour).add().ok();

    pod.exec("ping", "-c1", "-W5", "192.0.2.2");
    assertThat(neighbour.tryExec("ping", "-c1", "-W1", "192.0.2.2").exitCode())
        .as("outside has no way back to a pool that is not hidden")
        .isNotZero();
    eth0.previous(result).check().ok();
    String table =
        host.exec("nft", "list", "tables").stdout().strip().replaceFirst("^table inet ", "");
    host.exec("nft", "flush", "set", "inet", table, "pools4");
    assertThat(eth0.previous(result).check().error().msg()).contains("is not masqueraded");
    eth0.del().ok();
    node.call(node.config(), neighbour).del().ok();
    assertThat(node.traces()).isEmpty();
  }

  @Test
  void theMtuIsConfiguredOrWhatFelixWrote(Host host, Host a, Host b) throws Exception {
    CalicoNode node = node(host);
    Files.writeString(node.mtuFile(), "1300\n");

    node.call(node.config(V4), a).add().ok();
    node.call(node.config(V4).put("mtu", 4000).put("num_queues", 2), b).add().ok();

    assertThat(a.json("ip", "-j", "link", "show", "eth0").get(0).path("mtu").asInt())
        .isEqualTo(1300);
    JsonNode wide = b.json("ip", "-j", "-d", "link", "show", "eth0").get(0);
    assertThat(wide.path("mtu").asInt()).isEqualTo(4000);
    assertThat(wide.path("num_tx_queues").asInt()).isEqualTo(2);
    assertThat(wide.path("num_rx_queues").asInt()).isEqualTo(2);
    Files.writeString(node.mtuFile(), "wide");
    assertThat(node.call(node.config(V4), a).container("other").add().error().msg())
        .contains("failed to read MTU file");
  }

  @Test
  void containersForwardOnlyWhereTheyMay(Host host, Host pod) {
    CalicoNode node = node(host);

    node.call(node.config(V4, "fd00:65::/64"), pod)
        .set("container_settings", CniJson.parse("{\"allow_ip_forwarding\": true}"))
        .add()
        .ok();

    assertThat(CalicoContract.sysctl(pod, "ipv4/ip_forward", "")).isEqualTo("1");
    assertThat(CalicoContract.sysctl(pod, "ipv6/conf/all/forwarding", "")).isEqualTo("1");
  }

  @Test
  void ipv6WorksWhereItIsOffByDefault(Host host, Host pod) {
    for (Host side : List.of(host, pod)) {
      side.exec(
          "sh",
          "-c",
          "for i in all default; do echo 1 > /proc/sys/net/ipv6/conf/$i/disable_ipv6; done");
    }
    CalicoNode node = node(host);

    JsonNode result = node.call(node.config("fd00:65::/64"), pod).add().ok();

    assertThat(result.at("/ips/0/address").asString()).isEqualTo("fd00:65::2/128");
    assertThat(pod.exec("ip", "-6", "route").stdout())
        .contains("default via fe80::ecee:eeff:feee:eeee");
    host.exec("ping", "-c1", "-W5", "-I", result.at("/interfaces/0/name").asString(), "fd00:65::2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"})
  void everyVersionHasItsForm(String version, Host host, Host pod) {
    CalicoNode node = node(host);
    Calling eth0 = node.call(node.config(V4, "fd00:65::/64").put("cniVersion", version), pod);

    JsonNode result = eth0.add().ok();

    assertThat(result.path("cniVersion").asString()).isEqualTo(version);
    if (version.equals("0.1.0") || version.equals("0.2.0")) {
      assertThat(result.at("/ip4/ip").asString()).isEqualTo("10.65.0.2/32");
      assertThat(result.at("/ip6/ip").asString()).isEqualTo("fd00:65::2/128");
      assertThat(result.at("/ip4").has("gateway")).isFalse();
    } else {
      assertThat(result.at("/ips/0/address").asString()).isEqualTo("10.65.0.2/32");
      assertThat(result.at("/ips/0/interface").asInt()).isEqualTo(1);
      assertThat(result.at("/ips/0").has("version")).isEqualTo(version.startsWith("0"));
    }
    eth0.del().ok();
  }

  @Test
  void checkNamesWhatIsWrong(Host host, Host pod) {
    CalicoNode node = node(host);
    Calling eth0 = node.pod(node.kubernetes(V4), pod, "test", "web-0");
    JsonNode result = eth0.add().ok();
    Calling check = eth0.previous(result);

    host.exec("ip", "route", "delete", "10.65.0.2/32");
    assertThat(check.check().error().msg()).contains("the host has no route to 10.65.0.2");
    host.exec("ip", "route", "add", "10.65.0.2/32", "dev", "cali7b07e5871ca", "scope", "link");
    pod.exec("ip", "route", "delete", "default");
    check.check().error();
    pod.exec("ip", "route", "add", "default", "via", "169.254.1.1", "dev", "eth0");
    check.check().ok();
    store.remove(store.endpoints().getFirst().key());
    assertThat(check.check().error().msg()).contains("pod test/web-0 has no WorkloadEndpoint");
    pod.exec("ip", "address", "delete", "10.65.0.2/32", "dev", "eth0");
    assertThat(check.check().error().msg()).contains("address 10.65.0.2 is not on \"eth0\"");
    assertThat(eth0.check().error().msg()).contains("required prevResult missing");
  }

  @Test
  void gatesAreWaitedForAndDelDoesNotCare(Host host, Host pod) throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    int[] asked = {0};
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(++asked[0] < 2 ? 503 : 204, -1);
          exchange.close();
        });
    server.start();
    try {
      CalicoNode node = node(host);
      Calling eth0 =
          node.call(node.config(V4), pod)
              .set(
                  "readiness_gates",
                  CniJson.parse(
                      "[\"http://127.0.0.1:%d/\"]".formatted(server.getAddress().getPort())));

      eth0.add().ok();

      assertThat(asked[0]).isEqualTo(2);
      server.stop(0);
      eth0.del().ok();
    } finally {
      server.stop(0);
    }
  }

  @Test
  void policyIsWaitedForButNotForEver(Host host, Host a, Host b) throws Exception {
    CalicoNode node = node(host);
    Path status = Files.createDirectory(files.resolve("status"));
    Calling waiting =
        node.pod(node.kubernetes(V4).put("policy_setup_timeout_seconds", 1), a, "test", "web-0")
            .set("endpoint_status_dir", CniJson.parse("\"%s\"".formatted(status)));

    Ran late = waiting.add();

    late.ok();
    assertThat(late.stderr()).contains("was not in place after PT1S");
    // Like older versions of Felix.
    Files.writeString(status.resolve("k8s test%2Fweb-1 eth0"), "");
    Ran inTime = node.pod(waiting.config(), b, "test", "web-1").add();
    inTime.ok();
    assertThat(inTime.stderr()).doesNotContain("was not in place");
  }

  @Test
  void theStatusOfAnEarlierPodOfThatNameIsNotThisOnes(Host host, Host a, Host b) throws Exception {
    CalicoNode node = node(host);
    Path status = Files.createDirectory(files.resolve("status"));
    Path file = status.resolve("k8s test%2Fweb-0 eth0");
    Files.writeString(
        file,
        "{\"ifaceName\":\"cali1\",\"mac\":\"ee:ee:ee:ee:ee:ee\",\"ipv4Nets\":[\"10.65.0.9/32\"]}");
    Calling waiting =
        node.pod(node.kubernetes(V4).put("policy_setup_timeout_seconds", 1), a, "test", "web-0")
            .set("endpoint_status_dir", CniJson.parse("\"%s\"".formatted(status)));

    assertThat(waiting.add().stderr()).as("stale").contains("was not in place after PT1S");

    Calling patient =
        node.pod(
                node.kubernetes(V4)
                    .put("policy_setup_timeout_seconds", 50)
                    .put("endpoint_status_dir", status.toString()),
                b,
                "test",
                "web-0")
            .container("second");
    String former = store.endpoints().getFirst().text("spec", "mac").orElseThrow();
    Thread felix =
        Thread.ofVirtual()
            .start(
                () ->
                    Eventually.await(
                        "the new endpoint",
                        Duration.ofSeconds(40),
                        () -> {
                          Resource now = store.endpoints().getFirst();
                          String mac = now.text("spec", "mac").orElse("");
                          return !mac.equals(former) && write(file, mac, now);
                        }));
    Ran inTime = patient.add();
    felix.join();
    inTime.ok();
    assertThat(inTime.stderr()).doesNotContain("was not in place");
  }

  private static boolean write(Path file, String mac, Resource endpoint) {
    try {
      Files.writeString(
          file,
          "{\"mac\":\"%s\",\"ipv4Nets\":[\"%s\"]}"
              .formatted(mac, WorkloadEndpoints.texts(endpoint, "ipNetworks").getFirst()));
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void callsAreLoggedWhereTheConfigurationSays(Host host, Host pod) throws Exception {
    CalicoNode node = node(host);
    Path log = files.resolve("logs/calico/cni.log");
    Calling eth0 =
        node.call(
            node.config(V4).put("log_file_path", log.toString()).put("log_level", "info"), pod);
    eth0.add().ok();
    eth0.del().ok();

    assertThat(Files.readAllLines(log))
        .hasSize(2)
        .allMatch(line -> line.endsWith("ContainerID=" + pod.name()))
        .allMatch(
            line ->
                line.matches(
                    "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3} \\[INFO\\]\\[\\d+\\] .*"));
    eth0.set("log_level", CniJson.parse("\"debug\"")).add().ok();
    assertThat(Files.readString(log)).contains("[DEBUG]", "addresses [10.65.0.3]");
    Ran typo = eth0.set("log_level", CniJson.parse("\"verbose\"")).del();
    typo.ok();
    assertThat(typo.stderr()).contains("log_level \"verbose\" is not known");
  }

  @Test
  void anUnreachableDatastoreIsNamed(Host host, Host pod) {
    int port = Loopback.freePort();
    try (Store nobody = Store.etcd("http://127.0.0.1:" + port)) {
      CalicoNode node = CalicoNode.of(host, nobody, files);
      Calling eth0 = node.call(node.config(V4), pod);

      CniException failure = eth0.add().error();

      assertThat(failure.code().value()).isEqualTo(11);
      assertThat(failure.msg())
          .startsWith("error getting ClusterInformation: ")
          .contains("127.0.0.1:" + port);
    }
  }

  @Test
  void whatCannotWorkIsSaidBeforeAnythingIsMade(Host host, Host pod) {
    CalicoNode node = node(host);

    assertThat(
            node.call(node.config(V4), pod)
                .set("feature_control", CniJson.parse("{\"ip_addrs_no_ipam\": true}"))
                .add()
                .error()
                .msg())
        .contains("requested feature is not supported for this runtime");
    assertThat(
            node.call(node.config(V4), pod)
                .with("CNI_ARGS", "K8S_POD_NAME=../x;K8S_POD_NAMESPACE=test")
                .add()
                .error()
                .msg())
        .contains("K8S_POD_NAME \"../x\" is not a name of Kubernetes");
    assertThat(
            node.call(node.config(V4), pod)
                .set("datastore_type", CniJson.parse("\"consul\""))
                .add()
                .error()
                .msg())
        .contains("error creating calico client", "consul");
    assertThat(
            node.call(node.config(V4), pod)
                .set("nodename_file_optional", CniJson.parse("false"))
                .set("nodename_file", CniJson.parse("\"/none\""))
                .add()
                .error()
                .msg())
        .contains("stat /none");
  }

  @Test
  void delWithoutTheNodesNameDoesWhatItCan(Host host, Host pod) throws Exception {
    CalicoNode node = node(host);
    Path file = files.resolve("nodename");
    Files.writeString(file, "node-a");
    Calling eth0 =
        node.call(node.config(V4), pod)
            .set("nodename", CniJson.parse("\"\""))
            .set("nodename_file_optional", CniJson.parse("false"))
            .set("nodename_file", CniJson.parse("\"%s\"".formatted(file)));
    eth0.add().ok();
    Files.delete(file);

    assertThat(eth0.del().error().code().value()).isEqualTo(11);

    assertThat(host.exec("ip", "link").stdout()).doesNotContain("cali");
    assertThat(files.resolve("leases/net1/10.65.0.2")).doesNotExist();
    Files.writeString(file, "node-a");
    eth0.withNetns("").del().ok();
    assertThat(node.traces()).isEmpty();
  }

  @Test
  void mesosLabelsAndNamespaceAreTheEndpoints(Host host, Host pod) {
    CalicoNode node = node(host);
    Calling eth0 =
        node.call(node.config(V4), pod)
            .set(
                "args",
                CniJson.parse(
                    """
                    {"org.apache.mesos": {"network_info": {"labels": {"labels": [
                      {"key": "//my/key/", "value": "$v..1"},
                      {"key": "projectcalico.org/namespace", "value": "mesos-ns"}]}}}}
                    """));

    eth0.add().ok();

    assertThat(store.endpoints().getFirst().key().namespace()).isEqualTo("mesos-ns");
    assertThat(store.endpoints().getFirst().labels()).containsEntry("my.key", "v.1");
    eth0.del().ok();
    assertThat(node.traces()).isEmpty();
  }

  @Test
  void delOfWhatNeverWasIsFine(Host host, Host pod) {
    CalicoNode node = node(host);

    node.call(node.config(V4), pod).del().ok();
    node.call(node.config(V4), pod).withNetns("/run/netns/never").del().ok();
    node.pod(node.kubernetes(V4), pod, "test", "never").withNetns("").del().ok();
  }
}

package io.ocicat.plugins.calicoipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.AssignRequest;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.plugins.AtOnce;
import io.ocicat.plugins.Ipam;
import io.ocicat.plugins.Ran;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The behaviour of the plugin on any engine. */
abstract class CalicoIpamContract {
  private static final String DUAL = "\"assign_ipv4\":\"true\",\"assign_ipv6\":\"true\"";

  abstract Cluster cluster();

  @BeforeEach
  void reset() {
    cluster().reset();
  }

  private static List<String> ips(JsonNode result) {
    return result.path("ips").valueStream().map(ip -> ip.path("address").asString()).toList();
  }

  private static IpAddress address(String prefix) {
    return IpPrefix.parse(prefix).address();
  }

  @Test
  void anAddressComesWithTheLengthOfItsBlockAndARouteToItself() {
    cluster().pool("blue", "10.65.0.0/24");

    JsonNode result = cluster().calls(cluster().config("1.0.0", "")).add().ok();

    String ip = ips(result).getFirst();
    assertThat(IpPrefix.parse("10.65.0.0/24").contains(address(ip))).isTrue();
    assertThat(result)
        .isEqualTo(
            CniJson.parse(
                "{\"cniVersion\":\"1.0.0\",\"ips\":[{\"address\":\"%s\"}],\"routes\":[{\"dst\":\"%s\"}]}"
                    .formatted(ip, ip)));
    assertThat(ip).endsWith("/26");
  }

  @Test
  void theDatastoreTellsWhoHasTheAddressAsCalicoTellsIt() {
    cluster().pool("blue", "10.65.0.0/26");
    Ipam pod =
        cluster()
            .net("")
            .container("c1")
            .with("CNI_ARGS", "IgnoreUnknown=1;K8S_POD_NAMESPACE=shop;K8S_POD_NAME=cart-0;X=y");

    pod.add().ok();

    AddressInfo info = cluster().assigned().getFirst();
    assertThat(info.handle()).isEqualTo("net1.c1");
    assertThat(info.blockOwner()).hasToString("host:node-1");
    assertThat(info.owner())
        .containsOnlyKeys("node", "timestamp", "pod", "namespace")
        .containsEntry("node", "node-1")
        .containsEntry("pod", "cart-0")
        .containsEntry("namespace", "shop");
    assertThat(info.owner().get("timestamp"))
        .matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})? \\+0000 UTC");
    assertThat(cluster().handles()).containsExactly("net1.c1");
  }

  @Test
  void aContainerThatIsNoPodHasNoPodNoted() {
    cluster().pool("blue", "10.65.0.0/26");

    cluster().net("").with("CNI_ARGS", "K8S_POD_NAME=alone").add().ok();

    assertThat(cluster().assigned().getFirst().owner()).containsOnlyKeys("node", "timestamp");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"})
  void everyVersionHasItsResult(String version) {
    cluster().pool("blue", "10.65.0.0/26");
    cluster().pool("red", "fd00:65::/122");
    Ipam net = cluster().calls(cluster().config(version, DUAL));

    JsonNode result = net.add().ok();

    String v4 =
        cluster().addresses().stream().filter(ip -> ip.startsWith("10.")).findFirst().orElseThrow();
    String v6 =
        cluster().addresses().stream().filter(ip -> ip.startsWith("fd")).findFirst().orElseThrow();
    if (version.startsWith("0.1") || version.startsWith("0.2")) {
      assertThat(result.at("/ip4/ip").asString()).isEqualTo(v4 + "/26");
      assertThat(result.at("/ip6/ip").asString()).isEqualTo(v6 + "/122");
      assertThat(result.at("/ip4/routes/0/dst").asString()).isEqualTo(v4 + "/26");
      assertThat(result.at("/ip6/routes/0/dst").asString()).isEqualTo(v6 + "/122");
    } else {
      assertThat(ips(result)).containsExactly(v4 + "/26", v6 + "/122");
      assertThat(result.at("/routes/1/dst").asString()).isEqualTo(v6 + "/122");
      assertThat(result.at("/ips/0/version").asString(""))
          .isEqualTo(version.startsWith("0.") ? "4" : "");
    }
    assertThat(result.path("cniVersion").asString()).isEqualTo(version);
    net.del().ok();
    assertThat(cluster().assigned()).isEmpty();
    assertThat(cluster().handles()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"assign_ipv4\":\"true\" | 1",
        "\"assign_ipv6\":\"true\" | 2",
        "\"assign_ipv4\":\"false\",\"assign_ipv6\":\"true\" | 1",
        "\"assign_ipv4\":false,\"assign_ipv6\":true | 1",
        "\"assign_ipv4\":\"\",\"assign_ipv6\":\"\" | 1",
      })
  void familiesAreChosenByTextsOrBooleans(String ipam, int addresses) {
    cluster().pool("blue", "10.65.0.0/26");
    cluster().pool("red", "fd00:65::/122");

    assertThat(ips(cluster().net(ipam).add().ok())).hasSize(addresses);
  }

  @Test
  void poolsAreChosenByNameOrCidr() {
    cluster().pool("blue", "10.65.0.0/26");
    cluster().pool("green", "10.66.0.0/26");
    cluster().pool("red", "fd00:65::/122");

    Ipam byName = cluster().net("\"ipv4_pools\":[\"green\"]");
    Ipam byCidr = cluster().net("\"ipv4_pools\":[\"10.66.0.7/26\"]");
    Ipam both = cluster().net(DUAL + ",\"ipv4_pools\":[\"green\"],\"ipv6_pools\":[\"red\"]");

    assertThat(ips(byName.add().ok()).getFirst()).startsWith("10.66.0.");
    assertThat(ips(byCidr.container("b").add().ok()).getFirst()).startsWith("10.66.0.");
    assertThat(ips(both.container("c").add().ok()))
        .satisfiesExactly(
            ip -> assertThat(ip).startsWith("10.66.0."),
            ip -> assertThat(ip).startsWith("fd00:65::"));
  }

  @Test
  void whenTheFirstOfThePoolsIsFullTheSecondServes() {
    cluster().pool("blue", "10.65.0.0/32", spec -> spec.put("blockSize", 32));
    cluster().pool("green", "10.66.0.0/26");
    Ipam net = cluster().net("\"ipv4_pools\":[\"blue\",\"green\"]");

    assertThat(ips(net.container("a").add().ok())).containsExactly("10.65.0.0/32");
    assertThat(ips(net.container("b").add().ok()).getFirst()).startsWith("10.66.0.");
  }

  @Test
  void aPoolSelectsNodesUnlessItIsNamed() {
    cluster().pool("blue", "10.65.0.0/26", spec -> spec.put("nodeSelector", "rack == 'r9'"));

    CniException error = cluster().net("").add().error();
    assertThat(error.code()).isEqualTo(ErrorCode.INTERNAL);
    assertThat(error.msg()).contains("selects node node-1", "rack == ");

    cluster().net("\"ipv4_pools\":[\"blue\"]").add().ok();
  }

  @Test
  void aCertainAddressIsGivenOnceAndAgainAfterDel() {
    cluster().pool("blue", "10.65.0.0/26");
    Ipam first = cluster().net("").container("a").with("CNI_ARGS", "IP=10.65.0.9");
    Ipam second = cluster().net("").container("b").with("CNI_ARGS", "IP=10.65.0.9");

    JsonNode result = first.add().ok();
    assertThat(ips(result)).containsExactly("10.65.0.9/32");
    assertThat(result.at("/routes/0/dst").asString()).isEqualTo("10.65.0.9/32");

    CniException taken = second.add().error();
    assertThat(taken.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
    assertThat(taken.msg())
        .startsWith("failed to assign IP address 10.65.0.9: ")
        .contains("net1.a");
    assertThat(cluster().handles()).containsExactly("net1.a");

    first.del().ok();
    second.add().ok();
    assertThat(cluster().handles()).containsExactly("net1.b");
  }

  @Test
  void aCertainAddressOfAPoolThatIsNotForWorkloadsIsRefused() {
    cluster().pool("blue", "10.65.0.0/26");
    cluster().pool("tunnels", "10.68.0.0/26", spec -> spec.putArray("allowedUses").add("Tunnel"));

    CniException error = cluster().net("").with("CNI_ARGS", "IP=10.68.0.9").add().error();

    assertThat(error.msg())
        .contains(
            "IP address 10.68.0.9 is in IP pool \"tunnels\", which is not allowed for use"
                + " \"Workload\" (allowedUses: [Tunnel])");
    assertThat(cluster().assigned()).isEmpty();
    assertThat(cluster().handles()).isEmpty();
  }

  @Test
  void aCertainAddressOfIpv6NeedsNoFamilyToBeConfigured() {
    cluster().pool("red", "fd00:65::/122");

    JsonNode result = cluster().net("").with("CNI_ARGS", "IP=FD00:65:0::9").add().ok();

    assertThat(ips(result)).containsExactly("fd00:65::9/128");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "IP=10.99.0.1 | 4 | The provided IP address is not in a configured pool",
        "IP=10.65.0.1/26 | 4 | ARGS: error parsing value of pair",
        "IP=nonsense | 4 | ARGS: error parsing value of pair",
        "IP= | 4 | ARGS: error parsing value of pair",
        "FOO=bar | 4 | ARGS: unknown args",
        "K8S_POD_NAME=A;K8S_POD_NAMESPACE=b | 4 | K8S_POD_NAME \"A\" is not a name of Kubernetes",
        "nonsense | 4 | ARGS: invalid pair",
      })
  void argumentsThatAreWrongAreNamed(String args, int code, String message) {
    cluster().pool("blue", "10.65.0.0/26");

    CniException error = cluster().net("").with("CNI_ARGS", args).add().error();

    assertThat(error.code().value()).isEqualTo(code);
    assertThat(error.msg()).contains(message);
    assertThat(cluster().assigned()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"assign_ipv4\":\"yes\" | ipam.assign_ipv4",
        "\"assign_ipv6\":1 | ipam.assign_ipv6",
        "\"assign_ipv4\":\"false\" | both \"false\"",
        "\"ipv4_pools\":\"blue\" | ipam.ipv4_pools",
        "\"ipv4_pools\":[\"\"] | ipam.ipv4_pools",
        "\"ipv4_pools\":[\"nowhere\"] | ipam.ipv4_pools has \"nowhere\"",
        "\"ipv4_pools\":[\"red\"] | ipam.ipv4_pools has \"red\", which is a pool of IPv6 addresses",
        "\"ipv4_pools\":[\"fd00:65::/122\"] | which is a pool of IPv6 addresses",
        "\"ipv4_pools\":[\"10.99.0.0/26\"] | the given pool (10.99.0.0/26) does not exist, or is"
            + " not enabled",
        "\"ipv4_pools\":[\"off\"] | does not exist, or is not enabled: it is disabled",
      })
  void membersOfTheConfigurationThatAreWrongAreNamed(String ipam, String message) {
    cluster().pool("blue", "10.65.0.0/26");
    cluster().pool("off", "10.67.0.0/26", spec -> spec.put("disabled", true));
    cluster().pool("red", "fd00:65::/122");

    CniException error = cluster().net(ipam).add().error();

    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
    assertThat(error.getMessage()).contains(message);
    assertThat(cluster().assigned()).isEmpty();
  }

  @Test
  void withoutAnEnabledPoolThereIsNoAddress() {
    assertThat(cluster().net("").add().error().msg())
        .contains("there is no enabled IPv4 pool: create one");
    cluster().pool("off", "10.67.0.0/26", spec -> spec.put("disabled", true));

    CniException error = cluster().net("").add().error();

    assertThat(error.code()).isEqualTo(ErrorCode.INTERNAL);
    assertThat(error.msg()).contains("there is no enabled IPv4 pool");
  }

  @Test
  void aNameThatNoNodeCanHaveIsRefused() {
    assertThat(cluster().net("", "\"nodename\":\"a/b\"").add().error().code())
        .isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
  }

  @Test
  void aFullPoolIsTroubleThatMayPassAndTellsItsUse() {
    cluster().pool("blue", "10.65.0.0/31", spec -> spec.put("blockSize", 31));
    cluster().net("").container("a").add().ok();
    cluster().net("").container("b").add().ok();

    CniException error = cluster().net("").container("c").add().error();

    assertThat(error.code()).isEqualTo(ErrorCode.TRY_AGAIN_LATER);
    assertThat(error.msg())
        .startsWith(
            "failed to request IPv4 addresses: assigned 0 out of 1 requested IPv4 addresses");
    assertThat(error.details()).contains("pool \"blue\" (10.65.0.0/31): 2 of 2 in use");
    assertThat(cluster().handles()).containsExactlyInAnyOrder("net1.a", "net1.b");
  }

  @Test
  void halfOfADualStackIsNothing() {
    cluster().pool("blue", "10.65.0.0/26");

    assertThat(cluster().net(DUAL).add().error().msg()).contains("no enabled IPv6 pool");
    assertThat(cluster().assigned()).isEmpty();
    assertThat(cluster().handles()).isEmpty();

    cluster().pool("red", "fd00:65::/128", spec -> spec.put("blockSize", 128));
    cluster().net(DUAL).container("a").add().ok();
    CniException error = cluster().net(DUAL).container("b").add().error();

    assertThat(error.msg()).startsWith("failed to request IPv6 addresses: ");
    assertThat(cluster().handles()).containsExactly("net1.a");
    assertThat(cluster().assigned()).hasSize(2);
  }

  /** The first address, of another interface, must survive. */
  @Test
  void aSecondAddThatFailsTakesBackOnlyItsOwn() {
    cluster().pool("blue", "10.65.0.0/26");
    cluster().pool("red", "fd00:65::/128", spec -> spec.put("blockSize", 128));
    Ipam net = cluster().net(DUAL);
    List<String> first = ips(net.add().ok());

    net.with("CNI_IFNAME", "eth1").add().error();

    assertThat(cluster().addresses())
        .containsExactlyInAnyOrderElementsOf(
            first.stream().map(ip -> address(ip).toString()).toList());
    net.del().ok();
    assertThat(cluster().addresses()).isEmpty();
  }

  @Test
  void aSecondInterfaceHasAnAddressOfItsOwnAndOneDelReleasesBoth() {
    cluster().pool("blue", "10.65.0.0/26");
    Ipam net = cluster().net("");
    net.add().ok();
    net.with("CNI_IFNAME", "eth1").add().ok();
    assertThat(cluster().addresses()).hasSize(2);
    assertThat(cluster().handles()).containsExactly("net1.ctr");

    net.del().ok();

    assertThat(cluster().addresses()).isEmpty();
    assertThat(cluster().handles()).isEmpty();
  }

  @Test
  void delNeedsNothingButTheHandle() {
    cluster().pool("blue", "10.65.0.0/26");
    cluster().net("").del().ok();
    cluster().net("").add().ok();
    cluster().removeNode();

    cluster()
        .net("\"assign_ipv4\":{},\"ipv4_pools\":7", "\"nodename\":\"//\"")
        .with("CNI_ARGS", "garbage")
        .with("CNI_NETNS", "")
        .del()
        .ok();

    assertThat(cluster().addresses()).isEmpty();
    cluster().net("").del().ok();
  }

  @Test
  void handlesOfOldVersionsAreReleasedToo() {
    cluster().pool("blue", "10.65.0.0/26");
    give("10.65.0.1", "shop.cart-0");
    give("10.65.0.2", "ctr");
    Ipam net = cluster().net("");

    net.with("CNI_ARGS", "K8S_POD_NAMESPACE=shop;K8S_POD_NAME=cart-0").del().ok();
    assertThat(cluster().handles()).containsExactly("ctr");
    net.del().ok();
    assertThat(cluster().handles()).isEmpty();
  }

  private void give(String address, String handle) {
    try (io.ocicat.ipam.Ipam ipam =
        io.ocicat.ipam.Ipam.forOneCall(cluster().datastore(), ClockAndRandom.ofSystem())) {
      ipam.assign(
          new AssignRequest(
              IpAddress.parse(address), Cluster.NODE, handle, Map.of("node", Cluster.NODE)));
    }
  }

  @Test
  void checkFindsAddressesThatAreGoneOrSomebodyElses() {
    cluster().pool("blue", "10.65.0.0/26");
    Ipam net = cluster().net("").with("CNI_ARGS", "IP=10.65.0.5");
    JsonNode result = net.add().ok();
    String previous = "\"prevResult\":" + result;
    Ipam check = cluster().net("", previous);
    check.check().ok();

    net.del().ok();
    CniException gone = check.check().error();
    assertThat(gone.code()).isEqualTo(ErrorCode.INTERNAL);
    assertThat(gone.msg()).contains("address 10.65.0.5 is not assigned to handle net1.ctr");

    net.container("other").add().ok();
    assertThat(check.check().error().msg())
        .contains("address 10.65.0.5 belongs to handle net1.other, not to net1.ctr");
    assertThat(cluster().net("").check().error().code())
        .isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
  }

  @Test
  void checkLeavesAddressesAloneThatAreNotOfPools() {
    cluster().pool("blue", "10.65.0.0/26");
    Ipam net = cluster().net("").with("CNI_ARGS", "IP=10.65.0.5");
    net.add().ok();
    String mixed =
        "\"prevResult\":{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"192.0.2.1/24\"}%s]}";

    cluster().net("", mixed.formatted(",{\"address\":\"10.65.0.5/32\"}")).check().ok();
    assertThat(cluster().net("", mixed.formatted("")).check().error().msg())
        .contains("handle net1.ctr has none of the addresses [192.0.2.1]");
  }

  @Test
  void statusTellsWhatIsMissing() {
    Ipam net = cluster().net(DUAL);
    assertThat(net.status().error().msg()).contains("no enabled IPv4 pool for workloads");
    cluster().pool("blue", "10.65.0.0/26");
    cluster().pool("tunnels", "fd00:66::/122", spec -> spec.putArray("allowedUses").add("Tunnel"));
    assertThat(net.status().error().msg()).contains("no enabled IPv6 pool for workloads");
    cluster().pool("red", "fd00:65::/122");
    net.status().ok();
  }

  @Test
  void gcReleasesWhatIsOfThisNetworkAndNodeAndOfNoContainer() {
    cluster().pool("blue", "10.65.0.0/26");
    for (String container : List.of("alive", "dead1", "dead2")) {
      cluster().net("").container(container).add().ok();
    }
    cluster().net("", "\"name\":\"net1.x\"").container("other").add().ok();
    cluster().node("node-2", Map.of());
    cluster().net("", "\"nodename\":\"node-2\"").container("elsewhere").add().ok();
    give("10.65.0.60", "vxlan-tunnel-addr-node-1");

    cluster().net("").gc().ok();
    assertThat(cluster().handles()).hasSize(6);
    cluster()
        .net("", "\"cni.dev/valid-attachments\":[{\"containerID\":\"alive\",\"ifname\":\"eth0\"}]")
        .gc()
        .ok();

    assertThat(cluster().handles())
        .containsExactlyInAnyOrder(
            "net1.alive", "net1.x.other", "net1.elsewhere", "vxlan-tunnel-addr-node-1");
  }

  @Test
  void aRecordThatCannotBeReadIsNamedAndNothingStays() {
    cluster().pool("blue", "10.65.0.0/26");
    cluster().net("").container("a").add().ok();
    cluster().write("/calico/ipam/v2/assignment/ipv4/block/10.65.0.0-26", "{\"cidr\":7}");

    CniException error = cluster().net("").container("b").add().error();

    assertThat(error.msg()).contains("10.65.0.0/26");
    assertThat(cluster().handles()).doesNotContain("net1.b");
  }

  @Test
  void eachCallIsALineOfTheLogAndItsStepsAreWhenTheyAreWanted() throws IOException {
    cluster().pool("blue", "10.65.0.0/26");
    Path file = cluster().lockFile().resolveSibling("log/ipam.log");
    String path = "\"log_file_path\":\"%s\"".formatted(file);
    Ipam told = cluster().net("", path).container("c1");

    told.add().ok();
    told.del().ok();

    assertThat(Files.readAllLines(file))
        .hasSize(2)
        .allMatch(line -> line.contains("cni-plugin/calico-ipam: "))
        .allMatch(line -> line.endsWith(" done ContainerID=c1"));
    cluster().net("", path, "\"log_level\":\"debug\"").container("c2").add().ok();
    assertThat(Files.readString(file)).contains("[DEBUG]", "for handle net1.c2");
    cluster().net("", path).container("c3").with("CNI_ARGS", "IP=10.99.0.1").add().error();
    assertThat(Files.readString(file)).contains("[ERROR]", "ADD failed: ", "10.99.0.1");
    Ran quiet = cluster().net("", "\"log_level\":\"error\"").container("c2").del();
    assertThat(quiet.stderr()).isEmpty();
  }

  @Test
  void manyAtOnceGetDifferentAddresses() {
    cluster().pool("blue", "10.65.0.0/24");
    Ipam net = cluster().net("");

    AtOnce.run(each(i -> net.container("c" + i).add())).forEach(Ran::ok);

    assertThat(cluster().addresses()).hasSize(40).doesNotHaveDuplicates();
    AtOnce.run(each(i -> net.container("c" + i).del())).forEach(Ran::ok);
    assertThat(cluster().addresses()).isEmpty();
    assertThat(cluster().handles()).isEmpty();
  }

  private static List<Callable<Ran>> each(IntFunction<Ran> call) {
    return IntStream.range(0, 40).<Callable<Ran>>mapToObj(i -> () -> call.apply(i)).toList();
  }
}

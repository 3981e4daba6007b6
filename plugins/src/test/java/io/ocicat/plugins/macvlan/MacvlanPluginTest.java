package io.ocicat.plugins.macvlan;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@Hosts
class MacvlanPluginTest {
  private Shared shared;

  @BeforeEach
  void neighbour(Host host, Host neighbour, @TempDir Path bin) {
    shared = Shared.with(host, neighbour, bin);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"})
  void thePodIsOnTheNetworkOfTheMaster(String version, Host pod, Host neighbour) {
    // The host having a link of that name is no obstacle.
    shared.host().exec("ip", "link", "add", "eth0", "type", "bridge");
    Attaching eth0 = shared.attaching(pod, version, "'dns':{'domain':'here'}");

    JsonNode result = eth0.add().ok();

    assertThat(result.path("cniVersion").asString()).isEqualTo(version);
    assertThat(result.toString()).contains("\"10.0.0.3/24\"", "\"domain\":\"here\"");
    if (version.compareTo("0.3.0") >= 0) {
      assertThat(result.path("interfaces").size()).isEqualTo(1);
      assertThat(result.at("/interfaces/0/name").asString()).isEqualTo("eth0");
      assertThat(result.at("/interfaces/0/mac")).isEqualTo(Shared.link(pod).path("address"));
      assertThat(result.at("/interfaces/0/sandbox").asString()).isEqualTo(pod.path().toString());
      assertThat(result.at("/ips/0/interface").asInt()).isZero();
    }
    assertThat(Shared.link(pod).at("/linkinfo/info_data/mode").asString()).isEqualTo("bridge");
    pod.exec("ping", "-c1", "-W2", "10.0.0.2");
    neighbour.exec("ping", "-c1", "-W2", "10.0.0.3");
    assertThat(pod.exec("ip", "route", "show", "default").stdout()).contains("via 10.0.0.2");
    assertThat(sysctl(pod, "net/ipv4/conf/eth0/arp_notify")).isEqualTo("1");
    assertThat(sysctl(pod, "net/ipv6/conf/eth0/ndisc_notify")).isEqualTo("1");

    eth0.del().ok();
    assertThat(Shared.links(pod)).isZero();
    eth0.del().ok();
    assertThat(shared.ipam().calls()).hasSize(3).endsWith("DEL " + pod.name());
  }

  @Test
  void podsOnOneMasterReachEachOther(Host pod, Host other) {
    shared.attaching(pod, "1.0.0", "").add().ok();
    shared.ipam().answer(Shared.V4.replace("10.0.0.3", "10.0.0.4"));
    shared.attaching(other, "1.0.0", "").add().ok();

    pod.exec("ping", "-c1", "-W2", "10.0.0.4");
  }

  @ParameterizedTest
  @ValueSource(strings = {"bridge", "private", "vepa", "passthru"})
  void theModeIsThatOfTheConfiguration(String mode, Host pod) {
    Attaching eth0 = shared.attaching(pod, "1.1.0", "'mode':'%s','mtu':1400".formatted(mode));

    JsonNode result = eth0.add().ok();

    assertThat(Shared.link(pod).at("/linkinfo/info_data/mode").asString()).isEqualTo(mode);
    assertThat(Shared.link(pod).path("mtu").asInt()).isEqualTo(1400);
    Shared.withPrevious(eth0, result).check().ok();
  }

  @Test
  void aQueueForBroadcastsMayBeAskedFor(Host pod) {
    shared.attaching(pod, "1.0.0", "'bcqueuelen':777").add().ok();

    assertThat(Shared.link(pod).at("/linkinfo/info_data/bcqueuelen").asInt()).isEqualTo(777);
  }

  @Test
  void withoutIpamItIsJustUp(Host pod) {
    Attaching eth0 = shared.bare(pod, "1.0.0", "'master':'%s'".formatted(shared.master()));

    JsonNode result = eth0.add().ok();

    assertThat(result.has("ips")).isFalse();
    assertThat(Shared.link(pod).path("flags").toString()).contains("\"UP\"");
    Shared.withPrevious(eth0, result).check().ok();
    eth0.del().ok();
    assertThat(Shared.links(pod)).isZero();
    eth0.withNetns("").del().ok();
    eth0.withNetns("/run/netns/never").del().ok();
    eth0.withNetns("/etc/hostname").del().ok();
  }

  @Test
  void oldVersionsCannotSayThatThereIsNoAddress(Host pod) {
    CniException error =
        shared.bare(pod, "0.2.0", "'master':'%s'".formatted(shared.master())).add().error();

    assertThat(error.msg()).contains("cannot convert");
    assertThat(Shared.links(pod)).isZero();
  }

  @Test
  void withoutAMasterItIsTheInterfaceOfTheDefaultRoute(Host host, Host pod) {
    Attaching eth0 = shared.bare(pod, "1.1.0", "'mtu':0");
    assertThat(eth0.add().error().msg()).isEqualTo("no default route interface found");
    assertThat(eth0.status().error().code()).isEqualTo(ErrorCode.PLUGIN_NOT_AVAILABLE);

    host.exec("ip", "-6", "route", "add", "default", "dev", shared.master());
    eth0.status().ok();
    eth0.add().ok();
    eth0.del().ok();

    host.exec("ip", "link", "add", "far0", "up", "type", "veth", "peer", "name", "far1");
    host.exec("ip", "route", "add", "default", "dev", "far0", "metric", "7");
    host.exec("ip", "route", "add", "default", "dev", shared.master(), "metric", "8");
    JsonNode result = eth0.add().ok();
    assertThat(Shared.link(pod).path("link_index").asInt())
        .isEqualTo(host.json("ip", "-j", "link", "show", "far0").at("/0/ifindex").asInt());
    Shared.withPrevious(eth0, result).check().ok();
  }

  @Test
  void theMasterMayBeInTheContainer(Host host, Host pod, Host far) {
    pod.connect(far, "10.0.0.9/24", "10.0.0.2/24");
    String master =
        pod.json("ip", "-j", "-4", "address", "show", "to", "10.0.0.9").at("/0/ifname").asString();
    Attaching eth0 =
        shared
            .ipam()
            .with(
                shared.bare(
                    pod,
                    "1.1.0",
                    "'master':'%s','linkInContainer':true,'ipam':{'type':'testipam'}"
                        .formatted(master)));

    eth0.status().ok();
    JsonNode result = eth0.add().ok();
    pod.exec("ping", "-c1", "-W2", "-I", "eth0", "10.0.0.2");
    Shared.withPrevious(eth0, result).check().ok();
    eth0.del().ok();
    assertThat(Shared.links(pod)).isEqualTo(1);

    pod.exec("ip", "route", "add", "default", "via", "10.0.0.2");
    shared.bare(pod, "1.0.0", "'linkInContainer':true").add().ok();
  }

  /** Configuration, CNI_ARGS, runtimeConfig: the later wins. */
  @ParameterizedTest
  @CsvSource({"1,1", "12,2", "123,3", "13,3", "2,2", "3,3"})
  void theMacAddressHasThreeSources(String sources, int winner, Host pod) {
    String mac = "02:00:00:00:00:0";
    Attaching eth0 =
        shared.attaching(
            pod,
            "1.0.0",
            (sources.contains("1") ? "'mac':'" + mac + "1'," : "")
                + (sources.contains("3") ? "'runtimeConfig':{'mac':'" + mac + "3'}," : ""));
    if (sources.contains("2")) {
      eth0 = eth0.with("CNI_ARGS", "IgnoreUnknown=1;MAC=" + mac + "2;K8S_POD_NAME=x");
    }

    JsonNode result = eth0.add().ok();

    assertThat(result.at("/interfaces/0/mac").asString()).isEqualTo(mac + winner);
    assertThat(Shared.link(pod).path("address").asString()).isEqualTo(mac + winner);
  }

  @Test
  void addressesOfIpv6AreUsableWhenAddReturns(Host pod) {
    shared
        .ipam()
        .answer(
            "{\"ips\":[{\"address\":\"fd00::3/64\",\"gateway\":\"fd00::2\"}],\"routes\":[{\"dst\":\"::/0\"}]}");

    shared.attaching(pod, "1.0.0", "").add().ok();

    assertThat(pod.exec("ip", "-6", "address", "show", "eth0").stdout())
        .doesNotContain("tentative");
    pod.exec("ping", "-6", "-c1", "-W2", "fd00::2");
  }

  @Test
  void anAddressThatANeighbourHasIsRefused(Host pod) {
    shared.ipam().answer("{\"ips\":[{\"address\":\"fd00::2/64\"}]}");

    assertThat(shared.attaching(pod, "1.0.0", "").add().error().msg())
        .isEqualTo("address fd00::2/64 of \"eth0\" is a duplicate");
    assertThat(Shared.links(pod)).isZero();
    assertThat(shared.ipam().calls()).containsExactly("ADD " + pod.name(), "DEL " + pod.name());
  }

  /** Nobody can answer there, so no ADD waits for an answer. */
  @Test
  void withoutAVethNobodyWaitsForDuplicates(Host host, Host pod) {
    host.exec("ip", "link", "set", shared.master(), "down");
    shared.ipam().answer("{\"ips\":[{\"address\":\"fd00::3/64\"}]}");

    shared.attaching(pod, "1.0.0", "").add().ok();

    assertThat(pod.exec("ip", "-6", "address", "show", "eth0").stdout()).contains("fd00::3/64");
  }

  @Test
  void statusAndGcAskIpam(Host pod) {
    Attaching eth0 = shared.attaching(pod, "1.1.0", "'cni.dev/valid-attachments':[]");

    eth0.status().ok();
    eth0.gc().ok();
    shared.attaching(pod, "1.1.0", "").gc().ok();
    shared.bare(pod, "1.1.0", "'cni.dev/valid-attachments':[]").gc().ok();

    assertThat(shared.ipam().calls()).containsExactly("STATUS " + pod.name(), "GC " + pod.name());
    shared.ipam().failOn("STATUS");
    assertThat(eth0.status().error().msg()).contains("told to fail");
  }

  private static String sysctl(Host pod, String path) {
    return pod.exec("cat", "/proc/sys/" + path).stdout().strip();
  }
}

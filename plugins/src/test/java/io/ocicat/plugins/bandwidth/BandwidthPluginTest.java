package io.ocicat.plugins.bandwidth;

import static io.ocicat.plugins.bandwidth.Shaped.BOTH;
import static io.ocicat.plugins.bandwidth.Shaped.EGRESS;
import static io.ocicat.plugins.bandwidth.Shaped.INGRESS;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.plugins.Attaching;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@Hosts
class BandwidthPluginTest {

  @ParameterizedTest
  @ValueSource(strings = {"0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"})
  void bothDirectionsAreLimitedUntilDel(String version, Host host, Host pod) {
    Shaped shaped = Shaped.wired(host, pod);
    host.exec("ip", "link", "set", "veth0", "mtu", "1400");
    String before = shaped.everything();
    Attaching eth0 = shaped.with(version, BOTH);

    JsonNode result = eth0.add().ok();

    String ifb = Shaped.ifb(pod, "eth0").name();
    assertThat(result.path("cniVersion").asString()).isEqualTo(version);
    assertThat(result.path("interfaces").size()).isEqualTo(3);
    assertThat(result.at("/interfaces/2/name").asString()).isEqualTo(ifb);
    JsonNode link = host.json("ip", "-j", "-d", "link", "show", ifb).path(0);
    assertThat(result.at("/interfaces/2/mac")).isEqualTo(link.path("address"));
    assertThat(result.at("/interfaces/2").has("sandbox")).isFalse();
    assertThat(link.at("/linkinfo/info_kind").asString()).isEqualTo("ifb");
    assertThat(link.path("mtu").asInt()).isEqualTo(1400);
    assertThat(link.path("txqlen").asInt()).isZero();
    assertThat(link.path("flags").toString()).contains("\"UP\"");
    assertThat(link.path("ifalias").asString())
        .isEqualTo("cni:%s/%s/eth0".formatted(Shaped.NETWORK, pod.name()));

    JsonNode ingress = shaped.bucket("veth0");
    assertThat(ingress.path("rate").asLong()).isEqualTo(1_000_000);
    assertThat(ingress.path("burst").asLong()).isEqualTo(1_000_000);
    assertThat(ingress.path("lat").asLong()).isBetween(24_999L, 25_000L);
    JsonNode egress = shaped.bucket(ifb);
    assertThat(egress.path("rate").asLong()).isEqualTo(2_000_000);
    assertThat(egress.path("burst").asLong()).isEqualTo(500_000);
    assertThat(egress.path("lat").asLong()).isBetween(24_999L, 25_000L);
    assertThat(shaped.filters())
        .contains("protocol all pref 1 u32")
        .contains("flowid 1:1")
        .contains("match 00000000/00000000 at 0")
        .containsOnlyOnce("mirred (Egress Redirect to device " + ifb + ") stolen");

    eth0.del().ok();
    assertThat(shaped.everything()).as("what the host has left").isEqualTo(before);
  }

  @Test
  void onlyWhatThePodReceivesIsLimited(Host host, Host pod) {
    Shaped shaped = Shaped.wired(host, pod);
    JsonNode result = shaped.with("1.0.0", INGRESS).add().ok();

    assertThat(result.path("interfaces").size()).isEqualTo(2);
    assertThat(shaped.bucket("veth0").path("rate").asLong()).isEqualTo(1_000_000);
    assertThat(shaped.ifbs()).isEmpty();
    assertThat(shaped.filters()).isEmpty();

    shaped.with("1.0.0", INGRESS).del().ok();
    assertThat(shaped.bucket("veth0").isMissingNode()).isTrue();
  }

  @Test
  void onlyWhatThePodSendsIsLimited(Host host, Host pod) {
    Shaped shaped = Shaped.wired(host, pod);
    shaped.with("1.0.0", EGRESS).add().ok();

    assertThat(shaped.bucket("veth0").isMissingNode()).isTrue();
    assertThat(shaped.bucket(Shaped.ifb(pod, "eth0").name()).path("rate").asLong())
        .isEqualTo(2_000_000);
  }

  @Test
  void theRuntimeMaySupplyTheLimits(Host host, Host pod) {
    Shaped shaped = Shaped.wired(host, pod);
    String runtime = "'runtimeConfig':{'bandwidth':{%s}}".formatted(EGRESS);

    shaped.with("1.1.0", runtime).add().ok();
    assertThat(shaped.ifbs()).containsExactly(Shaped.ifb(pod, "eth0").name());

    shaped.with("1.1.0", runtime).del().ok();
    shaped.with("1.1.0", INGRESS + "," + runtime).add().ok();
    assertThat(shaped.ifbs()).as("the configuration's own limits win").isEmpty();
    assertThat(shaped.bucket("veth0").isMissingNode()).isFalse();
  }

  @Test
  void withoutLimitsNothingIsTouched(Host host, Host pod) {
    Shaped shaped = Shaped.wired(host, pod);
    String before = shaped.everything();

    JsonNode result = shaped.with("1.0.0", "").add().ok();

    assertThat(result.path("interfaces").size()).isEqualTo(2);
    assertThat(shaped.everything()).isEqualTo(before);
    shaped.with("1.0.0", "").check().ok();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", EGRESS})
  void itOnlyWorksBehindOthers(String fields, Host host, Host pod) {
    CniException error = Shaped.wired(host, pod).bare("1.0.0", fields).add().error();

    assertThat(error.msg()).isEqualTo("must be called as chained plugin");
    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
  }

  @Test
  void theVethIsFoundAmongMany(Host host, Host pod) {
    Shaped.wired(host, pod, "veth0", "net0");
    Shaped shaped = Shaped.wired(host, pod, "veth1", "eth0");
    Shaped.wired(host, pod, "veth2", "net2");
    String interfaces =
        "{'interfaces':[{'name':'veth0'},{'name':'veth1'},{'name':'veth2'},{'name':'eth0','sandbox':'x'}]}";

    shaped.after(interfaces, INGRESS).add().ok();

    assertThat(shaped.bucket("veth0").isMissingNode()).isTrue();
    assertThat(shaped.bucket("veth1").isMissingNode()).isFalse();
    assertThat(shaped.bucket("veth2").isMissingNode()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      value = {
        "{}|no interfaces provided",
        "{'interfaces':[]}|no interfaces provided",
        "{'interfaces':[{'name':'other'}]}|no veth peer of container interface found in host ns",
        "{'interfaces':[{'name':'veth0','sandbox':'/x'}]}|no veth peer of container interface",
      })
  void theVethMustBeInTheResultBefore(String previous, String message, Host host, Host pod) {
    Shaped shaped = Shaped.wired(host, pod);
    String before = shaped.everything();

    assertThat(shaped.after(previous, BOTH).add().error().msg()).contains(message);
    assertThat(shaped.everything()).isEqualTo(before);
  }

  @Test
  void anInterfaceWithoutAPeerIsRefused(Host host, Host pod) {
    Shaped shaped = Shaped.wired(host, pod);
    Attaching eth0 = shaped.with("1.0.0", BOTH);

    assertThat(eth0.with("CNI_IFNAME", "eth7").add().error().msg())
        .isEqualTo("container interface eth7 has no veth peer: there is no such interface");
    assertThat(eth0.with("CNI_IFNAME", "lo").add().error().msg())
        .isEqualTo("container interface lo has no veth peer: it is no veth");
    pod.exec("ip", "link", "add", "br7", "type", "bridge");
    assertThat(eth0.with("CNI_IFNAME", "br7").add().error().msg())
        .isEqualTo("container interface br7 has no veth peer: it is a bridge");
  }

  /** A link whose index happens to equal that of another link on the host. */
  @Test
  void aPeerElsewhereIsNotMistakenForALinkOfTheHost(Host host, Host pod, Host elsewhere) {
    Shaped shaped = Shaped.wired(host, pod);
    int index = host.json("ip", "-j", "link", "show", "veth0").at("/0/ifindex").asInt();
    elsewhere.exec(
        "ip link add far index %d type veth peer name eth1 netns %s"
            .formatted(index, pod.name())
            .split(" "));

    CniException error = shaped.with("1.0.0", BOTH).with("CNI_IFNAME", "eth1").add().error();

    assertThat(error.msg()).isEqualTo("veth peer with index %d is not in host ns".formatted(index));
  }

  @Test
  void aSecondInterfaceOfAPodHasAnIfbOfItsOwn(Host host, Host pod) {
    Shaped first = Shaped.wired(host, pod);
    Shaped second = Shaped.wired(host, pod, "veth1", "eth1");

    first.with("1.0.0", BOTH).add().ok();
    JsonNode result = second.with("1.0.0", BOTH).add().ok();

    String name = Shaped.ifb(pod, "eth1").secondName();
    assertThat(result.at("/interfaces/2/name").asString()).isEqualTo(name);
    assertThat(first.ifbs()).containsExactlyInAnyOrder(Shaped.ifb(pod, "eth0").name(), name);
    assertThat(second.filters()).contains("device " + name);
    first.with("1.0.0", BOTH).check().ok();
    second.with("1.0.0", BOTH).check().ok();

    first.with("1.0.0", BOTH).del().ok();
    assertThat(first.ifbs()).containsExactly(name);
    second.with("1.0.0", BOTH).check().ok();
    second.with("1.0.0", BOTH).del().ok();
    assertThat(first.ifbs()).isEmpty();
  }

  @Test
  void theFirstInterfaceOutlivesTheSecond(Host host, Host pod) {
    Shaped first = Shaped.wired(host, pod);
    Shaped second = Shaped.wired(host, pod, "veth1", "eth1");
    first.with("1.0.0", BOTH).add().ok();
    second.with("1.0.0", BOTH).add().ok();

    second.with("1.0.0", BOTH).del().ok();
    second.with("1.0.0", BOTH).del().ok();

    assertThat(first.ifbs()).containsExactly(Shaped.ifb(pod, "eth0").name());
    first.with("1.0.0", BOTH).check().ok();
  }

  @Test
  void delNeedsNothingAndMayBeRepeated(Host host, Host pod) {
    Shaped shaped = Shaped.wired(host, pod);
    shaped.bare("1.0.0", "").del().ok();

    shaped.with("1.0.0", BOTH).add().ok();
    shaped.bare("1.0.0", "").withNetns("").del().ok();
    assertThat(shaped.ifbs()).isEmpty();
    shaped.bare("1.0.0", "").withNetns("/run/netns/never").del().ok();
    shaped.bare("1.0.0", "").withNetns("/etc/hostname").del().ok();

    assertThat(shaped.filters()).as("a filter whose ifb is gone drops").contains("mirred");
    shaped.bare("1.0.0", "'ingressRate':-1").del().ok();
    assertThat(shaped.qdisc("veth0", "ingress").isMissingNode()).isTrue();
    assertThat(shaped.bucket("veth0").isMissingNode()).isTrue();
  }

  @Test
  void delFindsTheIfbAfterTheVethIsGone(Host host, Host pod) {
    Shaped shaped = Shaped.wired(host, pod);
    shaped.with("1.0.0", BOTH).add().ok();
    host.exec("ip", "link", "del", "veth0");

    shaped.with("1.0.0", BOTH).del().ok();

    assertThat(shaped.ifbs()).isEmpty();
  }

  @Test
  void statusTriesItWhereNobodySees(Host host, Host pod) {
    Shaped shaped = Shaped.wired(host, pod);
    String before = shaped.everything();

    shaped.bare("1.1.0", "").status().ok();

    assertThat(shaped.everything()).isEqualTo(before);
  }
}

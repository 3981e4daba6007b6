package io.ocicat.plugins.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Side;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@Hosts
class LoopbackPluginTest {

  @BeforeEach
  void loopbackIsDown(Host pod) {
    pod.exec("ip", "link", "set", "lo", "down");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"})
  void addBringsItUpAndDelDown(String version, Host host, Host pod) {
    Attaching lo = loopback(host, pod, version);

    assertThat(lo.add().ok().path("cniVersion").asString()).isEqualTo(version);
    assertThat(flags(pod)).contains("\"UP\"");

    lo.del().ok();
    assertThat(flags(pod)).doesNotContain("\"UP\"");
    assertThat(flags(host)).as("the host's own loopback").contains("\"UP\"");
  }

  /** In 1.0.0 only: Debian's original prints that shape whatever version was asked for. */
  @Test
  void theResultIsThatOfTheOriginal(Host host, Host pod) {
    Attaching lo = loopback(host, pod, "1.0.0");
    JsonNode go = lo.by(Side.GO).add().ok();
    JsonNode ours = lo.add().ok();

    assertThat(ours.path("interfaces")).isEqualTo(go.path("interfaces"));
    assertThat(ours.path("ips")).isEqualTo(go.path("ips"));
  }

  @Test
  void theResultBeforeItIsPassedOn(Host host, Host pod) {
    String before =
        "{\"cniVersion\":\"1.1.0\",\"ips\":[{\"address\":\"10.1.2.3/24\"}],\"future\":{\"kept\":true}}";
    Attaching lo =
        loopback(host, pod, "1.1.0")
            .withConfig(
                "{\"cniVersion\":\"1.1.0\",\"name\":\"lo\",\"type\":\"loopback\",\"prevResult\":%s}"
                    .formatted(before));

    JsonNode result = lo.add().ok();

    assertThat(result.at("/ips/0/address").asString()).isEqualTo("10.1.2.3/24");
    assertThat(result.at("/future/kept").asBoolean()).isTrue();
  }

  @Test
  void checkSeesThatItIsDown(Host host, Host pod) {
    Attaching lo = loopback(host, pod, "1.1.0");
    lo.add().ok();
    lo.check().ok();
    pod.exec("ip", "link", "set", "lo", "down");

    assertThat(lo.check().error().msg()).isEqualTo("loopback interface is down");
  }

  @Test
  void anAddressThatIsNoLoopbackIsRefused(Host host, Host pod) {
    pod.exec("ip", "address", "add", "10.0.0.1/8", "dev", "lo");

    assertThat(loopback(host, pod, "1.1.0").add().error().msg())
        .isEqualTo("loopback interface found with non-loopback address \"10.0.0.1/8\"");
  }

  @Test
  void delOfWhatIsGoneSucceeds(Host host, Host pod) {
    Attaching lo = loopback(host, pod, "1.1.0");

    lo.del().ok();
    lo.del().ok();
    lo.withNetns("").del().ok();
    lo.withNetns("/run/netns/never").del().ok();
    lo.withNetns("/etc/hostname").del().ok();
  }

  @Test
  void statusAndGcAreAnswered(Host host, Host pod) {
    loopback(host, pod, "1.1.0").status().ok();
    loopback(host, pod, "1.1.0").gc().ok();
  }

  private static Attaching loopback(Host host, Host pod, String version) {
    return Attaching.of(
        "loopback",
        host,
        pod,
        "{\"cniVersion\":\"%s\",\"name\":\"lo\",\"type\":\"loopback\"}".formatted(version));
  }

  private static String flags(Host host) {
    return host.json("ip", "-j", "link", "show", "lo").at("/0/flags").toString();
  }
}

package io.ocicat.plugins.bandwidth;

import static io.ocicat.plugins.bandwidth.Shaped.BOTH;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Side;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Together with the Go plugin on one host. */
@Hosts
class BandwidthInteropTest {

  @ParameterizedTest
  @ValueSource(strings = {"0.3.0", "0.3.1", "0.4.0", "1.0.0"})
  void theResultIsThatOfTheOriginal(String version, Host host, Host pod) {
    Attaching eth0 = Shaped.wired(host, pod).with(version, BOTH);

    JsonNode go = eth0.by(Side.GO).add().ok();
    eth0.del().ok();
    JsonNode ours = eth0.add().ok();

    assertThat(go.at("/interfaces/2/mac").asString()).isNotEmpty();
    assertThat(ours.at("/interfaces/2/mac").asString()).isNotEmpty();
    // Each ifb has a random one.
    ((ObjectNode) go.at("/interfaces/2")).remove("mac");
    ((ObjectNode) ours.at("/interfaces/2")).remove("mac");
    // Debian's Go plugin also prints an empty dns in 1.0.0, which that version leaves out.
    ((ObjectNode) go).remove("dns");
    ((ObjectNode) ours).remove("dns");
    assertThat(ours).isEqualTo(go);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      value = {
        BOTH,
        "'ingressRate':80000000,'ingressBurst':2147483647,'egressRate':1000000,'egressBurst':80000",
        "'egressRate':100000000000,'egressBurst':1000001",
        "'ingressRate':12345,'ingressBurst':98765",
        "'egressRate':999999999,'egressBurst':33333333333",
      })
  void eitherFindsWhatTheOtherMadeInOrder(String limits, Host host, Host pod) {
    Shaped shaped = Shaped.wired(host, pod);
    String before = shaped.everything();
    Attaching eth0 = shaped.with("1.0.0", limits);
    Attaching go = eth0.by(Side.GO);

    eth0.add().ok();
    go.check().ok();
    eth0.check().ok();
    String buckets = host.exec("tc", "-r", "qdisc", "show").stdout();
    go.del().ok();
    eth0.del().ok();
    assertThat(shaped.everything()).isEqualTo(before);

    go.add().ok();
    eth0.check().ok();
    assertThat(withoutNumbers(host.exec("tc", "-r", "qdisc", "show").stdout()))
        .isEqualTo(withoutNumbers(buckets));
    eth0.del().ok();
    assertThat(shaped.everything()).isEqualTo(before);
  }

  /** Go lets the numbers overflow; we cut them off, so its CHECK does not know our bucket. */
  @Test
  void whatOverflowsInGoIsRecognized(Host host, Host pod) {
    Attaching eth0 =
        Shaped.wired(host, pod).with("1.0.0", "'ingressRate':8000,'ingressBurst':20000000");

    eth0.by(Side.GO).add().ok();
    eth0.by(Side.GO).check().ok();
    eth0.check().ok();
    eth0.del().ok();

    eth0.add().ok();
    eth0.check().ok();
    assertThat(eth0.by(Side.GO).check().error().msg()).isEqualTo("Buffer doesn't match");
  }

  /**
   * A bucket too small for a packet passes none; we make it larger, and Go's CHECK accepts that.
   */
  @Test
  void aBurstSmallerThanAPacketIsRecognized(Host host, Host pod) {
    Attaching eth0 =
        Shaped.wired(host, pod).with("1.0.0", "'ingressRate':8000000,'ingressBurst':8000");

    eth0.by(Side.GO).add().ok();
    eth0.check().ok();
    eth0.del().ok();

    eth0.add().ok();
    eth0.check().ok();
    assertThat(eth0.by(Side.GO).check().error().msg()).isEqualTo("Limit doesn't match");
  }

  @Test
  void aSecondInterfaceGetsAlongWithGosFirst(Host host, Host pod) {
    Shaped first = Shaped.wired(host, pod);
    Shaped second = Shaped.wired(host, pod, "veth1", "eth1");
    first.with("1.0.0", BOTH).by(Side.GO).add().ok();

    assertThat(second.with("1.0.0", BOTH).by(Side.GO).add().error().msg()).contains("file exists");
    host.exec("tc", "qdisc", "del", "dev", "veth1", "root");
    second.with("1.0.0", BOTH).add().ok();
    second.with("1.0.0", BOTH).check().ok();
    second.with("1.0.0", BOTH).del().ok();

    first.with("1.0.0", BOTH).by(Side.GO).check().ok();
    first.with("1.0.0", BOTH).del().ok();
    assertThat(first.ifbs()).isEmpty();
  }

  /** Go's ADD fails after somebody else's qdisc and leaves its ifb: DEL finds it. */
  @Test
  void delCleansUpAfterGosFailedAdd(Host host, Host pod) {
    Shaped shaped = Shaped.wired(host, pod);
    host.exec("tc", "qdisc", "add", "dev", "veth0", "clsact");
    String before = shaped.everything();
    Attaching eth0 = shaped.with("1.0.0", BOTH);
    assertThat(eth0.by(Side.GO).add().error().msg()).contains("create ingress qdisc");
    assertThat(shaped.ifbs()).hasSize(1);

    eth0.del().ok();

    assertThat(shaped.everything()).isEqualTo(before);
  }

  @Test
  void itWorksBehindGosPtp(@TempDir Path leases, Host host, Host pod) {
    String list = "{'cniVersion':'1.0.0','name':'p2p','type':'%s',%s}".replace('\'', '"');
    String ipam =
        "\"ipam\":{\"type\":\"host-local\",\"subnet\":\"10.9.0.0/24\",\"dataDir\":\"%s\"}"
            .formatted(leases);
    Attaching ptp = Attaching.of("ptp", host, pod, list.formatted("ptp", ipam)).by(Side.GO);
    JsonNode previous = ptp.add().ok();
    String veth = previous.at("/interfaces/0/name").asString();
    Shaped shaped = new Shaped(host, pod, veth, "eth0");
    String limits = Shaped.EGRESS.replace('\'', '"') + ",\"prevResult\":" + previous;
    Attaching bandwidth = Attaching.of("bandwidth", host, pod, list.formatted("bandwidth", limits));

    JsonNode result = bandwidth.add().ok();

    assertThat(result.path("interfaces").size()).isEqualTo(3);
    assertThat(result.path("ips")).isEqualTo(previous.path("ips"));
    assertThat(result.path("routes")).isEqualTo(previous.path("routes"));
    assertThat(shaped.filters()).contains("mirred");
    pod.exec("ping", "-c1", "-W5", "10.9.0.1");

    bandwidth.del().ok();
    ptp.del().ok();
    assertThat(shaped.ifbs()).isEmpty();
  }

  private static String withoutNumbers(String qdiscs) {
    return qdiscs.replaceAll("dev bwp\\S+", "dev ifb").replaceAll("refcnt \\d+", "");
  }
}

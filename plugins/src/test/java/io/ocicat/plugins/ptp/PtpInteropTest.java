package io.ocicat.plugins.ptp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniJson;
import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Side;
import io.ocicat.plugins.TestIpam;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** Go's ptp and ours alternate on one host. */
@Hosts
class PtpInteropTest {
  private static final String BOTH =
      """
      {"cniVersion": "1.0.0",
       "ips": [{"address": "10.1.2.5/24", "gateway": "10.1.2.1"},
               {"address": "fd00:1::5/64", "gateway": "fd00:1::1"}],
       "routes": [{"dst": "0.0.0.0/0"}, {"dst": "::/0"}, {"dst": "10.9.0.0/16", "gw": "10.1.2.1"}]}
      """;

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({"GO,OURS", "OURS,OURS"})
  void oneAddsAndTheOtherDeletes(Side adding, Side deleting, Host host, Host pod) {
    Attaching eth0 = Ptp.attaching(host, pod, directory, "1.0.0", Ptp.V4, Ptp.V6);
    JsonNode result = eth0.by(adding).add().ok();
    pod.exec("ping", "-c1", "-W2", "10.1.2.1");

    Ptp.withPrevious(eth0.by(deleting), result).del().ok();

    assertThat(Ptp.traces(host)).isEmpty();
    assertNothingIsLeft(pod);
  }

  /**
   * Go's DEL does not know our elements; they are harmless, and our GC removes them.
   *
   * <p>Debian's Go plugin treats today's iptables message about a missing chain as a failure (later
   * ones do not), but only after it removed everything else: a retry by the runtime succeeds.
   */
  @Test
  void goDeletesAllOfOursButTheMasquerading(Host host, Host pod) {
    Attaching eth0 = Ptp.attaching(host, pod, directory, "1.0.0", Ptp.V4, Ptp.V6);
    Attaching go = Ptp.withPrevious(eth0.by(Side.GO), eth0.add().ok());

    assertThat(go.del().error().msg()).contains("tables v1", "Chain 'CNI-", "does not exist");
    assertNothingIsLeft(pod);
    go.del().ok();

    assertThat(Ptp.traces(host)).isNotEmpty().allMatch(trace -> trace.contains(pod.name()));
    gcOfAll(host, pod);
    assertThat(Ptp.traces(host)).isEmpty();
  }

  @Test
  void goDeletesAllOfOursWithoutMasquerading(Host host, Host pod) {
    Attaching eth0 =
        Ptp.with(
            Ptp.attaching(host, pod, directory, "1.0.0", Ptp.V4, Ptp.V6),
            "ipMasq",
            CniJson.parse("false"));

    Ptp.withPrevious(eth0.by(Side.GO), eth0.add().ok()).del().ok();

    assertNothingIsLeft(pod);
    assertThat(Ptp.traces(host)).isEmpty();
  }

  @Test
  void goAddedAndTheNamespaceIsGone(Host host, Host pod) {
    Attaching eth0 = Ptp.attaching(host, pod, directory, "1.0.0", Ptp.V4);
    JsonNode result = eth0.by(Side.GO).add().ok();

    Ptp.withPrevious(eth0, result).withNetns("").del().ok();

    assertThat(Ptp.traces(host)).isEmpty();
  }

  @Test
  void gcCollectsWhatGoLeft(Host host, Host pod, Host gone) {
    Attaching kept = Ptp.attaching(host, pod, directory, "1.0.0", Ptp.V4).by(Side.GO);
    kept.add().ok();
    Ptp.attaching(host, gone, directory, "1.0.0", Ptp.V4).by(Side.GO).add().ok();
    gone.exec("ip", "link", "del", "eth0");

    TestIpam ipam = TestIpam.in(directory, "{}");
    Ptp.with(
            ipam.with(Ptp.withTestIpam(host, pod)),
            "cni.dev/valid-attachments",
            CniJson.parse("[{\"containerID\":\"%s\",\"ifname\":\"eth0\"}]".formatted(pod.name())))
        .gc()
        .ok();

    assertThat(host.exec("iptables", "-t", "nat", "-S").stdout())
        .contains(pod.name())
        .doesNotContain(gone.name());
    gcOfAll(host, pod);
    assertThat(host.exec("iptables", "-t", "nat", "-S").stdout()).doesNotContain("CNI-");
  }

  /** Go's address has the kernel's route to the subnet first, ours never. */
  @Test
  void theKernelKnowsTheSameAfterwards(Host host, Host pod) {
    TestIpam ipam = TestIpam.in(directory, BOTH);
    Attaching eth0 =
        Ptp.with(ipam.with(Ptp.withTestIpam(host, pod)), "cniVersion", CniJson.parse("\"1.0.0\""));

    List<String> go = state(eth0.by(Side.GO), host, pod);
    List<String> ours = state(eth0.by(Side.OURS), host, pod);

    assertThat(ours)
        .containsExactlyInAnyOrderElementsOf(go)
        .anyMatch(line -> line.contains("fd00"));
  }

  @ParameterizedTest
  @EnumSource(Side.class)
  void bothFindTheContainerTakenByTheOther(Side first, Host host, Host pod) {
    Attaching eth0 = Ptp.attaching(host, pod, directory, "1.0.0", Ptp.V4).by(first);
    eth0.add().ok();
    Side second = first == Side.GO ? Side.OURS : Side.GO;

    eth0.by(second).add().error();

    pod.exec("ping", "-c1", "-W2", "10.1.2.1");
  }

  private void assertNothingIsLeft(Host pod) {
    assertThat(pod.json("ip", "-j", "link").size()).as("only lo").isEqualTo(1);
    assertThat(directory.resolve("mynet/10.1.2.2")).doesNotExist();
  }

  private void gcOfAll(Host host, Host pod) {
    TestIpam ipam = TestIpam.in(directory, "{}");
    Ptp.with(
            ipam.with(Ptp.withTestIpam(host, pod)),
            "cni.dev/valid-attachments",
            CniJson.parse("[]"))
        .gc()
        .ok();
  }

  private static List<String> state(Attaching eth0, Host host, Host pod) {
    eth0.add().ok();
    List<String> state = new ArrayList<>();
    for (Host side : List.of(host, pod)) {
      String where = side == host ? "host " : "pod ";
      for (String family : List.of("-4", "-6")) {
        for (String object : List.of("address", "route")) {
          side.exec("ip", "-o", family, object)
              .stdout()
              .lines()
              .map(line -> where + withoutChance(line))
              .filter(line -> !line.contains("fe80"))
              .forEach(state::add);
        }
      }
    }
    eth0.del().ok();
    return state;
  }

  private static String withoutChance(String line) {
    return line.replaceAll("^[0-9]+: ", "")
        .replaceAll("veth[0-9a-f]{8}", "veth")
        .replace(" noprefixroute", "")
        .replace(" nodad", "")
        .replace(" tentative", "")
        .replaceAll("\\s+", " ")
        .strip();
  }
}

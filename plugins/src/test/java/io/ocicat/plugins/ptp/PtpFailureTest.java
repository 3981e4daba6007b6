package io.ocicat.plugins.ptp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.TestIpam;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** ADD fails at every possible step, and leaves nothing each time. */
@Hosts
class PtpFailureTest {
  private static final int TIMES = 5;

  private static final String BOTH =
      """
      {"ips": [{"address": "10.1.2.5/24", "gateway": "10.1.2.1"},
               {"address": "fd00:1::5/64", "gateway": "fd00:1::1"}],
       "routes": [{"dst": "0.0.0.0/0"}]}
      """;

  /** Where ADD fails: by the result of IPAM, or by the state of the host. */
  enum Step {
    IPAM("testipam was told to fail", "{}"),
    NO_ADDRESS("IPAM plugin returned missing IP config", "{}"),
    NO_GATEWAY(
        "address 10.1.2.5/24 from the IPAM plugin has no gateway",
        "{\"ips\": [{\"address\": \"10.1.2.5/24\"}]}"),
    OWN_GATEWAY(
        "address 10.1.2.5/24 from the IPAM plugin is its own gateway",
        "{\"ips\": [{\"address\": \"10.1.2.5/24\", \"gateway\": \"10.1.2.5\"}]}"),
    OTHER_FAMILY(
        "gateway fd00::1 of 10.1.2.5/24 is of the other family",
        "{\"ips\": [{\"address\": \"10.1.2.5/24\", \"gateway\": \"fd00::1\"}]}"),
    CONTAINER_ADDRESS(
        "add address 10.1.2.5/24",
        "{\"ips\": [{\"address\": \"10.1.2.5/24\", \"gateway\": \"10.1.2.1\"},"
            + " {\"address\": \"10.1.2.5/24\", \"gateway\": \"10.1.2.1\"}]}"),
    CONTAINER_ROUTE(
        "append route 10.7.0.0/16 via 192.0.2.1",
        BOTH.replace("\"0.0.0.0/0\"", "\"10.7.0.0/16\", \"gw\": \"192.0.2.1\"")),
    HOST_ADDRESS(
        "add address fd00:1::1/128", BOTH, "echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6"),
    MASQUERADE(
        "create element inet ocicat_masquerade sources4",
        BOTH,
        "nft 'add table inet ocicat_masquerade;"
            + "add set inet ocicat_masquerade sources4 { type ether_addr; };"
            + "add set inet ocicat_masquerade owners4 { type ifname; }'");

    private final String error;
    private final String answer;
    private final String preparation;

    Step(String error, String answer) {
      this(error, answer, "true");
    }

    Step(String error, String answer, String preparation) {
      this.error = error;
      this.answer = answer;
      this.preparation = preparation;
    }
  }

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(Step.class)
  void nothingStays(Step step, Host host, Host pod) {
    TestIpam ipam = TestIpam.in(directory, step.answer);
    host.exec("sh", "-ec", step.preparation);
    if (step == Step.IPAM) {
      ipam.failOn("ADD");
    }
    Attaching eth0 = ipam.with(Ptp.withTestIpam(host, pod));

    for (int i = 0; i < TIMES; i++) {
      assertThat(eth0.add().error().msg()).contains(step.error);
      assertThat(pod.json("ip", "-j", "link").size()).as("only lo").isEqualTo(1);
      assertThat(Ptp.traces(host)).isEmpty();
    }
    assertThat(ipam.calls())
        .as("each address is released")
        .containsExactlyElementsOf(
            Collections.nCopies(TIMES, List.of("ADD " + pod.name(), "DEL " + pod.name())).stream()
                .flatMap(List::stream)
                .toList());
    eth0.del().ok();
    assertThat(Ptp.traces(host)).isEmpty();
  }

  @Test
  void aNamespaceThatIsNoneCostsNoAddress(Host host, Host pod) {
    TestIpam ipam = TestIpam.in(directory, BOTH);
    Attaching eth0 = ipam.with(Ptp.withTestIpam(host, pod));

    CniException error = eth0.withNetns("/run/netns/never").add().error();

    assertThat(error.code()).isEqualTo(ErrorCode.INVALID_NETNS);
    assertThat(error.msg()).contains("failed to open netns \"/run/netns/never\"");
    assertThat(ipam.calls()).isEmpty();
  }

  @Test
  void anIpamPluginIsNecessary(Host host, Host pod) {
    Attaching eth0 = Ptp.with(Ptp.withTestIpam(host, pod), "ipam", CniJson.parse("{}"));

    assertThat(eth0.add().error().msg()).isEqualTo("no plugin name provided");
    assertThat(eth0.status().error().msg()).isEqualTo("no plugin name provided");
    assertThat(eth0.del().error().msg()).isEqualTo("no plugin name provided");
    assertThat(Ptp.traces(host)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ipMasq        | "yes"       | ipMasq
          ipMasq        | 1           | ipMasq
          ipMasqBackend | "ipfw"      | ipMasqBackend
          ipMasqBackend | true        | ipMasqBackend
          mtu           | "1500"      | mtu
          mtu           | 1500.5      | mtu
          mtu           | -1          | mtu
          mtu           | 67          | mtu must be 0 for the kernel's choice
          mtu           | 65536       | mtu
          """)
  void aBadFieldIsNamed(String field, String value, String error, Host host, Host pod) {
    TestIpam ipam = TestIpam.in(directory, BOTH);
    Attaching eth0 = ipam.with(Ptp.with(Ptp.withTestIpam(host, pod), field, CniJson.parse(value)));

    for (CniException refusal :
        List.of(eth0.add().error(), eth0.status().error(), eth0.check().error())) {
      assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_NETWORK_CONFIG);
      assertThat(refusal.getMessage()).contains(error);
    }
    assertThat(ipam.calls()).isEmpty();
    eth0.del().ok();
  }

  @Test
  void everyBadFieldIsNamedAtOnce(Host host, Host pod) {
    Attaching eth0 = Ptp.with(Ptp.withTestIpam(host, pod), "mtu", CniJson.parse("\"big\""));
    Attaching twice = Ptp.with(eth0, "ipMasq", CniJson.parse("[]"));

    assertThat(twice.add().error().getMessage()).contains("mtu", "ipMasq");
  }
}

package io.ocicat.plugins.firewall;

import static io.ocicat.plugins.Side.GO;
import static io.ocicat.plugins.Side.OURS;
import static io.ocicat.plugins.firewall.FirewallPluginTest.rules;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Side;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The Go plugin and ours on one host, one finishing what the other began. */
@Hosts
class FirewallInteropTest {
  private static final Firewalled DUAL = Firewalled.of("10.0.0.2/24", "fd00::2/64").behind("br0");

  @ParameterizedTest
  @CsvSource({"OURS, OURS", "OURS, GO", "GO, OURS", "GO, GO"})
  void whatOneAddsTheOtherChecksAndDeletes(
      Side adding, Side deleting, Host host, Host pod, Host neighbour) {
    Firewalled.of("10.0.0.3/24", "fd00::3/64").attach(host, neighbour).by(adding).add().ok();
    List<String> before = new ArrayList<>(rules(host, "iptables"));
    before.addAll(rules(host, "ip6tables"));
    Attaching eth0 = DUAL.attach(host, pod);

    eth0.by(adding).add().ok();
    eth0.by(deleting).check().ok();
    eth0.by(deleting).del().ok();

    List<String> after = new ArrayList<>(rules(host, "iptables"));
    after.addAll(rules(host, "ip6tables"));
    assertThat(after).isEqualTo(before);
    assertThat(eth0.check().error().msg()).contains("10.0.0.2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"open", "same-bridge"})
  void theRulesAreThoseOfTheOriginal(String policy, Host goHost, Host ourHost, Host pod) {
    Firewalled dual = DUAL.with("\"ingressPolicy\":\"%s\"".formatted(policy));
    dual.attach(goHost, pod).by(GO).add().ok();
    dual.attach(ourHost, pod).by(OURS).add().ok();

    for (String iptables : List.of("iptables", "ip6tables")) {
      assertThat(rules(ourHost, iptables))
          .map(FirewallInteropTest::asVersion111)
          .isEqualTo(rules(goHost, iptables));
    }
  }

  /** The comments of newer Go plugins, which have one policy more, converted to Debian's. */
  private static String asVersion111(String rule) {
    return rule.replace("same-bridge|isolated", "same-bridge");
  }

  @ParameterizedTest
  @CsvSource({"OURS, GO", "GO, OURS"})
  void neitherRepeatsWhatTheOtherMade(Side first, Side second, Host host, Host pod) {
    Attaching eth0 = DUAL.attach(host, pod);
    eth0.by(first).add().ok();
    List<String> before = rules(host, "iptables");

    eth0.by(second).add().ok();

    assertThat(rules(host, "iptables")).isEqualTo(before);
    eth0.by(GO).del().ok();
    assertThat(rules(host, "iptables").toString()).doesNotContain("10.0.0.2");
  }

  @Test
  void rulesOfAnEarlierPolicyAreNotRepeated(Host host, Host pod) {
    DUAL.with("\"ingressPolicy\":\"same-bridge\"").attach(host, pod).by(GO).add().ok();
    int before = rules(host, "iptables").size();

    DUAL.with("\"ingressPolicy\":\"same-bridge\"").attach(host, pod).add().ok();
    assertThat(rules(host, "iptables")).hasSize(before);

    DUAL.with("\"ingressPolicy\":\"isolated\"").attach(host, pod).add().ok();
    assertThat(rules(host, "iptables"))
        .hasSize(before + 1)
        .containsSubsequence(
            "-A CNI-ISOLATION-STAGE-1 -i br0 -o br0 -m comment --comment \"CNI firewall plugin rules"
                + " (ingressPolicy: isolated)\" -j DROP",
            "-A CNI-ISOLATION-STAGE-1 -i br0 ! -o br0 -m comment --comment \"CNI firewall plugin"
                + " rules (ingressPolicy: same-bridge)\" -j CNI-ISOLATION-STAGE-2");
  }

  /** Both change the same chains; either may find that the other was faster. */
  @Test
  void bothAtOnceLoseNothing(Host host, Host pod) throws Exception {
    int each = 12;
    try (ExecutorService workers = Executors.newFixedThreadPool(8)) {
      List<Future<?>> adds = new ArrayList<>();
      IntStream.range(0, each)
          .forEach(
              i -> {
                adds.add(workers.submit(() -> numbered(host, pod, "ours", i).by(OURS).add().ok()));
                adds.add(workers.submit(() -> numbered(host, pod, "go", i).by(GO).add().ok()));
              });
      for (Future<?> add : adds) {
        add.get(60, TimeUnit.SECONDS);
      }
      assertThat(rules(host, "iptables"))
          .filteredOn(rule -> rule.startsWith("-A CNI-FORWARD -s "))
          .hasSize(2 * each)
          .doesNotHaveDuplicates();

      List<Future<?>> dels = new ArrayList<>();
      IntStream.range(0, each)
          .forEach(
              i -> {
                dels.add(workers.submit(() -> numbered(host, pod, "ours", i).by(GO).del().ok()));
                dels.add(workers.submit(() -> numbered(host, pod, "go", i).by(OURS).del().ok()));
              });
      for (Future<?> del : dels) {
        del.get(60, TimeUnit.SECONDS);
      }
      assertThat(rules(host, "iptables")).filteredOn(rule -> rule.contains("10.")).isEmpty();
    }
  }

  private static Attaching numbered(Host host, Host pod, String kind, int number) {
    String subnet = kind.equals("go") ? "10.1.0." : "10.2.0.";
    return Firewalled.of(subnet + (number + 2) + "/24")
        .attach(host, pod)
        .with("CNI_CONTAINERID", kind + number);
  }
}

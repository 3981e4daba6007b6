package io.ocicat.plugins.bandwidth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Side;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Real packets; a rate is the one property here that only time can show. */
@Hosts
class BandwidthTrafficTest {
  private static final String HOST = "10.1.0.1";
  private static final int ATTEMPTS = 3;

  private Shaped shaped;

  @BeforeEach
  void addresses(Host host, Host pod) {
    shaped = Shaped.wired(host, pod);
    host.exec("ip", "address", "add", HOST + "/24", "dev", "veth0");
    pod.exec("ip", "address", "add", "10.1.0.2/24", "dev", "eth0");
  }

  @Test
  void theMeasuredRatesAreTheLimits(Host host, Host pod) {
    shaped
        .with(
            "1.0.0",
            "'ingressRate':20000000,'ingressBurst':1000000,'egressRate':10000000,'egressBurst':1000000")
        .add()
        .ok();

    assertRate("what the pod receives", 20, host, pod, "--reverse");
    assertRate("what the pod sends", 10, host, pod);
  }

  @Test
  void behindAHookOfSomebodyElseTheLimitHoldsAsWell(Host host, Host pod) {
    host.exec("tc", "qdisc", "add", "dev", "veth0", "clsact");
    shaped.with("1.0.0", "'egressRate':10000000,'egressBurst':1000000").add().ok();

    assertRate("what the pod sends", 10, host, pod);
  }

  @Test
  void packetsOfFullSizePassWhateverTheBurst(Host host, Host pod) {
    Attaching eth0 =
        shaped.with(
            "1.0.0",
            "'ingressRate':8000000,'ingressBurst':800,'egressRate':8000000,'egressBurst':800");
    String[] ping = ("ping -c1 -W1 -M do -s 1472 " + HOST).split(" ");

    eth0.add().ok();
    pod.exec(ping);
    eth0.del().ok();

    eth0.by(Side.GO).add().ok();
    assertThat(pod.tryExec(ping).succeeded()).as("with the bucket of Go").isFalse();
  }

  @Test
  void afterDelNothingIsHeldBack(Host host, Host pod) {
    Attaching eth0 = shaped.with("1.0.0", Shaped.BOTH);
    eth0.add().ok();
    pod.exec("ping", "-c1", "-W5", HOST);

    eth0.del().ok();
    pod.exec("ping", "-c1", "-W5", HOST);
  }

  /** Never more than the limit; a machine with other work to do may take a while to get there. */
  private static void assertRate(String what, double limit, Host host, Host pod, String... more) {
    double measured = 0;
    for (int attempt = 0; attempt < ATTEMPTS && measured < 0.85 * limit; attempt++) {
      measured = megabits(host, pod, more);
      assertThat(measured).as(what).isLessThan(1.15 * limit);
    }
    assertThat(measured).as(what).isCloseTo(limit, withinPercentage(15));
  }

  /** What arrives at the receiver, after the first second, in which TCP finds its speed. */
  private static double megabits(Host server, Host client, String... more) {
    server.start("iperf3", "--server", "--one-off", "--bind", HOST);
    Eventually.await(
        "the server of iperf3",
        () -> server.exec("ss", "-Hltn", "sport = :5201").stdout().contains(":5201"));
    List<String> argv =
        new ArrayList<>(
            List.of("iperf3", "--json", "--time", "2", "--omit", "1", "--client", HOST));
    argv.addAll(List.of(more));
    JsonNode report = client.json(argv.toArray(String[]::new));
    return report.at("/end/sum_received/bits_per_second").doubleValue() / 1e6;
  }
}

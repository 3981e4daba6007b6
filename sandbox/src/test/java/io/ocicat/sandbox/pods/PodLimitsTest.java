package io.ocicat.sandbox.pods;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.PodMetadata;
import io.ocicat.sandbox.PodPort;
import io.ocicat.sandbox.TestNode;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pods get the bandwidth that their annotations allow, measured with real traffic. */
@Hosts
class PodLimitsTest {
  private static final int INGRESS = 40;
  private static final int EGRESS = 20;
  private static final Duration WINDOW = Duration.ofMillis(500);
  private static final int WINDOWS = 30;

  private TestNode node;

  @BeforeEach
  void start(@TempDir Path folder, Host host) {
    node = new TestNode(folder, host);
  }

  @AfterEach
  void end() {
    node.close();
  }

  @Test
  void onCalico(Host router) throws Exception {
    CalicoPodTest.network(node, router);
    limitsHold();
  }

  @Test
  void onFlannel(Host router) throws Exception {
    OtherNetworksTest.flannel(node);
    node.host().connect(router, CalicoPodTest.OUTSIDE + "/24", "192.0.2.254/24");
    limitsHold();
  }

  private void limitsHold() throws IOException, InterruptedException {
    PodSandboxes pods = node.sandboxes();
    PodConfig.Builder limited =
        PodConfig.of(new PodMetadata("limited", "shop", "u-limited", 0))
            .ports(List.of(new PodPort(Protocol.TCP, 80, 8080, "")))
            .annotations(
                Map.of(
                    "kubernetes.io/ingress-bandwidth", INGRESS + "M",
                    "kubernetes.io/egress-bandwidth", EGRESS + "M"));
    SandboxStatus server = pods.status(pods.run(limited.build(), ""));
    SandboxStatus client =
        pods.status(
            pods.run(PodConfig.of(new PodMetadata("free", "shop", "u-free", 0)).build(), ""));
    InetSocketAddress published = new InetSocketAddress(CalicoPodTest.OUTSIDE, 8080);
    InetSocketAddress direct = new InetSocketAddress(server.ips().getFirst(), 80);
    try (Flow flow = new Flow(client, server, 80, published).fromClient()) {
      assertLimit("what the pod receives", flow, INGRESS);
    }
    try (Flow flow = new Flow(client, server, 80, direct).fromServer()) {
      assertLimit("what the pod sends", flow, EGRESS);
    }
  }

  /**
   * Twice in a row, because otherwise a busy machine may be the cause. The first 256 MiB are not
   * limited: kubelet asks for a bucket of that size.
   */
  private static void assertLimit(String what, Flow flow, int limit) throws InterruptedException {
    List<Double> measured = new ArrayList<>();
    for (int kept = 0; kept < 2 && measured.size() < WINDOWS; ) {
      double rate = flow.rate(WINDOW);
      measured.add(rate);
      kept = limit / 2.0 < rate && rate < 1.15 * limit ? kept + 1 : 0;
    }
    assertThat(measured.subList(measured.size() - 2, measured.size()))
        .as("%s, in Mbit/s, one figure every %s: %s", what, WINDOW, measured)
        .allSatisfy(rate -> assertThat(rate).isBetween(limit / 2.0, 1.15 * limit));
  }
}

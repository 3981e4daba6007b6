package io.ocicat.plugins.ptp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniJson;
import io.ocicat.plugins.Attaching;
import io.ocicat.plugins.Tcp;
import io.ocicat.plugins.TestIpam;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Which source address others see, with real connections. */
@Hosts
class PtpMasqueradeTest {
  private static final int PORT = 8080;
  private static final int MANY = 50;

  @TempDir Path directory;

  @BeforeEach
  void wire(Host host, Host outside) {
    host.connect(outside, "192.0.2.1/24", "192.0.2.2/24");
    host.exec("ip", "address", "add", "2001:db8::1/64", "dev", "wire0", "nodad");
    outside.exec("ip", "address", "add", "2001:db8::2/64", "dev", "wire0", "nodad");
    // So that replies also reach addresses that are not masqueraded.
    outside.exec("ip", "route", "add", "10.0.0.0/8", "via", "192.0.2.1");
    outside.exec("ip", "route", "add", "fd00::/16", "via", "2001:db8::1");
  }

  @Test
  void outsideTheHostIsSeenAndInsideTheContainer(Host host, Host outside, Host pod, Host other)
      throws IOException {
    attach(host, pod, true, "10.1.2.5/24", "fd00:1::5/64");
    attach(host, other, true, "10.1.2.6/24", "fd00:1::6/64");

    try (ServerSocket far = Tcp.serve(outside, PORT, "outside");
        ServerSocket near = Tcp.serve(other, PORT, "other");
        ServerSocket self = Tcp.serve(host, PORT, "host")) {
      assertThat(seenAs(pod, "192.0.2.2")).isEqualTo("192.0.2.1");
      assertThat(seenAs(pod, "2001:db8::2")).isEqualTo("2001:db8::1");
      assertThat(seenAs(pod, "10.1.2.6")).isEqualTo("10.1.2.5");
      assertThat(seenAs(pod, "fd00:1::6")).isEqualTo("fd00:1::5");
      assertThat(seenAs(pod, "192.0.2.1")).as("by the host itself").isEqualTo("10.1.2.5");
      assertThat(List.of(far, near, self)).noneMatch(ServerSocket::isClosed);
    }
  }

  @Test
  void withoutTheOptionTheContainerIsSeen(Host host, Host outside, Host pod) throws IOException {
    attach(host, pod, false, "10.1.2.5/24", "fd00:1::5/64");

    try (ServerSocket far = Tcp.serve(outside, PORT, "outside")) {
      assertThat(seenAs(pod, "192.0.2.2")).isEqualTo("10.1.2.5");
      assertThat(seenAs(pod, "2001:db8::2")).isEqualTo("fd00:1::5");
      assertThat(far.isClosed()).isFalse();
    }
  }

  @Test
  void anAddressOfAnotherSizeOfSubnetIsHiddenByItsOwn(Host host, Host outside, Host pod, Host wide)
      throws IOException {
    attach(host, pod, true, "10.1.2.5/24", "fd00:1::5/64");
    attach(host, wide, true, "10.1.9.9/16", "fd00:1::9/48");

    try (ServerSocket far = Tcp.serve(outside, PORT, "outside");
        ServerSocket inPod = Tcp.serve(pod, PORT, "pod");
        ServerSocket inWide = Tcp.serve(wide, PORT, "wide")) {
      assertThat(seenAs(wide, "10.1.2.5")).as("inside its /16").isEqualTo("10.1.9.9");
      assertThat(seenAs(pod, "10.1.9.9")).as("outside its /24").isNotEqualTo("10.1.2.5");
      assertThat(seenAs(wide, "192.0.2.2")).isEqualTo("192.0.2.1");
      assertThat(List.of(far, inPod, inWide)).noneMatch(ServerSocket::isClosed);
    }
  }

  @Test
  void manyComeAndGoAtOnce(Host host, Host outside)
      throws IOException, InterruptedException, ExecutionException {
    List<Host> pods = IntStream.range(0, MANY).mapToObj(_ -> Host.open()).toList();
    try (ExecutorService each = Executors.newFixedThreadPool(MANY)) {
      List<Future<JsonNode>> added =
          pods.stream().map(pod -> each.submit(() -> local(host, pod).add().ok())).toList();
      assertThat(added)
          .extracting(result -> result.get().at("/ips/0/address").asString())
          .doesNotHaveDuplicates()
          .hasSize(MANY);
      assertThat(Ptp.traces(host)).hasSizeGreaterThan(MANY);
      try (ServerSocket far = Tcp.serve(outside, PORT, "outside")) {
        assertThat(seenAs(pods.getLast(), "192.0.2.2")).isEqualTo("192.0.2.1");
        assertThat(far.isClosed()).isFalse();
      }

      List<Future<JsonNode>> deleted =
          pods.stream().map(pod -> each.submit(() -> local(host, pod).del().ok())).toList();
      for (Future<JsonNode> done : deleted) {
        done.get();
      }
      assertThat(Ptp.traces(host)).isEmpty();
    } finally {
      pods.forEach(Host::close);
    }
  }

  private Attaching local(Host host, Host pod) {
    return Ptp.attaching(host, pod, directory, "1.0.0", Ptp.V4, Ptp.V6);
  }

  private void attach(Host host, Host pod, boolean hidden, String v4, String v6) {
    TestIpam ipam =
        TestIpam.in(
            directory,
            """
            {"ips": [{"address": "%s", "gateway": "10.1.2.1"},
                     {"address": "%s", "gateway": "fd00:1::1"}],
             "routes": [{"dst": "0.0.0.0/0"}, {"dst": "::/0"}]}
            """
                .formatted(v4, v6));
    Ptp.with(
            ipam.with(Ptp.withTestIpam(host, pod)), "ipMasq", CniJson.parse(String.valueOf(hidden)))
        .add()
        .ok();
  }

  private static String seenAs(Host client, String address) {
    return Tcp.seenAs(client, address, PORT);
  }
}

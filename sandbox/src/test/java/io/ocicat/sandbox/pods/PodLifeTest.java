package io.ocicat.sandbox.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.sandbox.NamespaceMode;
import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.PodMetadata;
import io.ocicat.sandbox.PodPort;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.TestNode;
import io.ocicat.sandbox.trace.PodStep;
import io.ocicat.sandbox.trace.PodTrace;
import io.ocicat.sandbox.trace.StepKind;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The life cycle of pods on the real kernel: bridge, host-local, portmap and bandwidth. */
@Hosts
class PodLifeTest {
  static final String BRIDGE =
      """
      {"cniVersion":"1.0.0","name":"blue","plugins":[
        {"type":"bridge","bridge":"blue0","isGateway":true,"ipMasq":true,"hairpinMode":true,
         "ipam":{"type":"host-local","dataDir":"@folder@/leases","subnet":"10.65.0.0/24",
                 "routes":[{"dst":"0.0.0.0/0"}]}},
        {"type":"portmap","capabilities":{"portMappings":true},"snat":true},
        {"type":"bandwidth","capabilities":{"bandwidth":true}}]}
      """;

  private TestNode node;
  private PodSandboxes pods;

  @BeforeEach
  void start(@TempDir Path folder, Host host) {
    node = new TestNode(folder, host);
    node.network("10-blue.conflist", BRIDGE);
    pods = node.sandboxes();
  }

  @AfterEach
  void end() {
    node.close();
  }

  private PodConfig.Builder pod(String name) {
    return PodConfig.of(new PodMetadata(name, "shop", "u-" + name, 0))
        .logDirectory(node.folder().resolve("logs/shop_" + name).toString());
  }

  private SandboxStatus run(PodConfig config) {
    return pods.status(pods.run(config, ""));
  }

  @Test
  void podsReachEachOtherAndLeaveNothing() {
    List<String> before = node.traces();
    SandboxStatus a = run(pod("a").build());
    SandboxStatus b = run(pod("b").build());
    assertThat(a.state()).isEqualTo(SandboxState.READY);
    assertThat(a.ips()).containsExactly("10.65.0.2");
    assertThat(a.network()).isEqualTo("blue");
    assertThat(b.ips()).containsExactly("10.65.0.3");
    node.in(a, "ping", "-c1", "-W5", b.ips().getFirst()).run();
    node.in(b, "ping", "-c1", "-W5", "127.0.0.1").run();

    pods.stop(a.id());
    SandboxStatus stopped = pods.status(a.id());
    assertThat(stopped.state()).isEqualTo(SandboxState.NOTREADY);
    assertThat(stopped.ips()).isEmpty();
    assertThat(Path.of(a.netns())).doesNotExist();
    pods.stop(a.id());
    pods.remove(a.id());
    pods.remove(b.id());
    pods.remove(b.id());
    pods.stop(b.id());
    assertThatThrownBy(() -> pods.status(a.id()))
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.reason()).isEqualTo(Reason.NOT_FOUND));
    host("ip", "link", "del", "blue0");
    host("sh", "-c", "nft flush ruleset");
    assertThat(node.traces()).isEqualTo(before);
  }

  private void host(String... argv) {
    node.host().exec(argv);
  }

  @Test
  void publishedPortsAnswer() {
    SandboxStatus web =
        run(pod("web").ports(List.of(new PodPort(Protocol.TCP, 80, 8080, ""))).build());
    SandboxStatus client = run(pod("client").build());
    try (Background server =
        node.in(web, "busybox", "nc", "-ll", "-p", "80", "-e", "echo", "hello").start()) {
      assertThat(server.isAlive()).isTrue();
      Eventually.await(
          "the server to listen", () -> node.in(web, "ss", "-ltn").run().stdout().contains(":80 "));
      assertThat(
              node.in(client, "sh", "-c", "busybox nc -w5 10.65.0.1 8080 </dev/null")
                  .run()
                  .stdout())
          .contains("hello");
    }
  }

  @Test
  void limitsHold() {
    SandboxStatus pod =
        run(
            pod("slow")
                .annotations(
                    Map.of(
                        "kubernetes.io/ingress-bandwidth", "1M",
                        "kubernetes.io/egress-bandwidth", "2M"))
                .build());
    String shaping = node.host().exec("tc", "qdisc", "show").stdout();
    assertThat(shaping).contains("tbf").contains("rate 1Mbit").contains("rate 2Mbit");
    pods.remove(pod.id());
    assertThat(node.host().exec("tc", "qdisc", "show").stdout()).doesNotContain("tbf");
  }

  @Test
  void aRestartChangesNothing() {
    SandboxStatus before = run(pod("web").labels(Map.of("app", "web")).build());
    PodSandboxes again = node.sandboxes();
    assertThat(again.recover()).isEmpty();
    assertThat(again.status(before.id())).isEqualTo(before);
    again.remove(before.id());
    assertThat(pods.list(SandboxFilter.ALL)).isEmpty();
    assertThat(node.traces()).noneMatch(line -> line.startsWith("leases/blue/10."));
  }

  @Test
  void aPodIsTornDownByTheNetworkItWasSetUpWith() {
    SandboxStatus old = run(pod("old").build());
    node.network(
        "05-green.conflist", BRIDGE.replace("blue", "green").replace("10.65.0.0", "10.66.0.0"));
    node.network("10-blue.conflist", "{ no longer valid");
    pods = node.sandboxes();
    SandboxStatus young = run(pod("young").build());
    assertThat(young.ips()).containsExactly("10.66.0.2");
    pods.remove(old.id());
    assertThat(node.traces()).noneMatch(line -> line.startsWith("leases/blue/10."));
    assertThat(node.traces()).anyMatch(line -> line.startsWith("leases/green/10."));
  }

  @Test
  void aNamespaceRemovedUnderneathIsNoticedAndCleanedUp() {
    SandboxStatus pod =
        run(pod("web").ports(List.of(new PodPort(Protocol.TCP, 80, 8080, ""))).build());
    Command.of("umount", "-l", pod.netns()).run();
    assertThat(pods.status(pod.id()).state()).isEqualTo(SandboxState.NOTREADY);
    assertThat(pods.status(pod.id()).ips()).isEmpty();
    assertThatThrownBy(() -> pods.start(pod.id(), "c", List.of("true")))
        .hasMessageContaining("not ready");
    pods.remove(pod.id());
    assertThat(node.traces())
        .noneMatch(line -> line.startsWith("leases/blue/10.") || line.startsWith("run/netns"));
  }

  @Test
  void aPodOfTheHostsNetworkNeedsNone() {
    node.network("10-blue.conflist", "{");
    pods = node.sandboxes();
    SandboxStatus pod = run(pod("host").network(NamespaceMode.NODE).build());
    assertThat(pod.state()).isEqualTo(SandboxState.READY);
    assertThat(pod.ips()).isEmpty();
    assertThat(pod.netns()).isEmpty();
    pods.remove(pod.id());
    assertThat(node.traces()).noneMatch(line -> line.startsWith("state/"));
  }

  @Test
  void whatHappensCanBeWatched() {
    PodTrace trace = new PodTrace();
    pods.run(pod("web").build(), "", true, trace);
    assertThat(trace.steps().stream().map(PodStep::kind).filter(kind -> kind != StepKind.KERNEL))
        .containsExactly(
            StepKind.SANDBOX,
            StepKind.LOCK,
            StepKind.NAME,
            StepKind.RECORD,
            StepKind.LOGS,
            StepKind.CHECKPOINT,
            StepKind.NETNS,
            StepKind.INFRA,
            StepKind.INFRA,
            StepKind.RESOLV,
            StepKind.NETWORK,
            StepKind.RECORD,
            StepKind.LOCK,
            StepKind.LOOPBACK,
            StepKind.NETWORK,
            StepKind.PLUGIN,
            StepKind.PLUGIN,
            StepKind.PLUGIN,
            StepKind.RECORD);
    assertThat(trace.steps()).noneMatch(PodStep::failed);
    assertThat(trace.steps()).anyMatch(step -> step.detail().contains("blue0"));
  }

  @Test
  void sysctlsAreSetInThePod() {
    SandboxStatus pod =
        run(pod("web").sysctls(Map.of("net/ipv4/ip_unprivileged_port_start", "79")).build());
    assertThat(node.in(pod, "cat", "/proc/sys/net/ipv4/ip_unprivileged_port_start").run().stdout())
        .isEqualTo("79\n");
  }

  @Test
  void aFailedSetUpLeavesNothing() {
    node.network(
        "10-blue.conflist", BRIDGE.replace("\"type\":\"bandwidth\"", "\"type\":\"broken\""));
    TestNode.executable(
        node.ownPlugins().resolve("broken"),
        "[ \"$CNI_COMMAND\" = VERSION ] && echo '{\"cniVersion\":\"1.0.0\",\"supportedVersions\":[\"1.0.0\"]}' && exit 0;"
            + " [ \"$CNI_COMMAND\" = DEL ] && exit 0; cat >/dev/null;"
            + " echo '{\"code\":999,\"msg\":\"out of order\"}'; exit 1");
    pods = node.sandboxes();
    List<String> before = node.traces();
    assertThatThrownBy(
            () -> run(pod("web").ports(List.of(new PodPort(Protocol.TCP, 80, 8080, ""))).build()))
        .hasMessageContaining("out of order")
        .hasMessageContaining("web_shop");
    assertThat(pods.list(SandboxFilter.ALL)).isEmpty();
    host("ip", "link", "del", "blue0");
    host("sh", "-c", "nft flush ruleset");
    assertThat(node.traces()).isEqualTo(before);
  }

  @Test
  void whatCannotBeCleanedUpStaysUntilItIsRemoved() {
    node.network(
        "10-blue.conflist", BRIDGE.replace("\"type\":\"bandwidth\"", "\"type\":\"broken\""));
    TestNode.executable(
        node.ownPlugins().resolve("broken"),
        "[ \"$CNI_COMMAND\" = VERSION ] && echo '{\"cniVersion\":\"1.0.0\",\"supportedVersions\":[\"1.0.0\"]}' && exit 0;"
            + " cat >/dev/null; echo '{\"code\":999,\"msg\":\"out of order\"}'; exit 1");
    pods = node.sandboxes();
    assertThatThrownBy(() -> run(pod("web").build()))
        .hasMessageContaining("cleaning up failed, too");
    List<SandboxStatus> left = pods.list(SandboxFilter.ALL);
    assertThat(left).hasSize(1);
    assertThat(left.getFirst().state()).isEqualTo(SandboxState.NOTREADY);
    assertThat(left.getFirst().problem()).contains("out of order");
    assertThatThrownBy(() -> run(pod("web").build()))
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.reason()).isEqualTo(Reason.EXISTS));
    String id = left.getFirst().id();
    assertThatThrownBy(() -> pods.remove(id)).hasMessageContaining("out of order");
    assertThat(pods.removeByForce(id, new PodTrace())).hasSize(1);
    assertThat(pods.list(SandboxFilter.ALL)).isEmpty();
  }
}

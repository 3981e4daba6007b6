package io.ocicat.cri;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.ocicat.cri.message.CommonMessages.NamespaceMode;
import io.ocicat.cri.message.RuntimeMessages.RuntimeCondition;
import io.ocicat.cri.message.RuntimeMessages.StatusRequest;
import io.ocicat.cri.message.RuntimeMessages.StatusResponse;
import io.ocicat.cri.message.RuntimeMessages.VersionRequest;
import io.ocicat.cri.message.RuntimeMessages.VersionResponse;
import io.ocicat.cri.message.SandboxConfigMessages.DnsConfig;
import io.ocicat.cri.message.SandboxConfigMessages.PodSandboxConfig;
import io.ocicat.cri.message.SandboxConfigMessages.PortMapping;
import io.ocicat.cri.message.SandboxConfigMessages.Protocol;
import io.ocicat.cri.message.SandboxMessages.ListPodSandboxRequest;
import io.ocicat.cri.message.SandboxMessages.ListPodSandboxResponse;
import io.ocicat.cri.message.SandboxMessages.PodSandboxFilter;
import io.ocicat.cri.message.SandboxMessages.PodSandboxState;
import io.ocicat.cri.message.SandboxMessages.PodSandboxStateValue;
import io.ocicat.cri.message.SandboxMessages.PodSandboxStatus;
import io.ocicat.cri.message.SandboxMessages.PodSandboxStatusRequest;
import io.ocicat.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The specs "Runtime info", "PodSandbox" and "Networking" of critest, by their names. */
class PodSandboxSpecTest extends CriSpec {

  private PodSandboxStatus status(String id) {
    return Objects.requireNonNull(calls.podStatus(id).status());
  }

  private List<String> listed(PodSandboxFilter filter) {
    return client
        .call("ListPodSandbox", new ListPodSandboxRequest(filter), ListPodSandboxResponse::read)
        .items()
        .stream()
        .map(pod -> pod.id())
        .toList();
  }

  @Test
  @DisplayName("runtime should return version info")
  void version() {
    assertThat(client.call("Version", new VersionRequest("0.1.0"), VersionResponse::read))
        .isEqualTo(new VersionResponse("0.1.0", "ocicat", "0.1.0", "v1"));
  }

  @Test
  @DisplayName("runtime should return runtime conditions")
  void conditions() {
    StatusResponse answer = client.call("Status", new StatusRequest(true), StatusResponse::read);
    assertThat(Objects.requireNonNull(answer.status()).conditions())
        .containsExactly(
            new RuntimeCondition("RuntimeReady", true, "", ""),
            new RuntimeCondition("NetworkReady", true, "", ""));
    assertThat(answer.info()).containsKey("config");
  }

  @Test
  @DisplayName("runtime should support running PodSandbox")
  void run() {
    PodSandboxConfig config = calls.pod("PodSandbox-for-run-test");
    String id = calls.run(config);
    PodSandboxStatus status = status(id);
    assertThat(status.state()).isEqualTo(PodSandboxState.SANDBOX_READY);
    assertThat(status.metadata()).isEqualTo(config.metadata());
    assertThat(status.labels()).isEqualTo(config.labels());
    assertThat(status.annotations()).isEqualTo(config.annotations());
    assertThat(status.createdAt()).isPositive();
    assertThat(Objects.requireNonNull(status.network()).ip()).startsWith("10.65.0.");
  }

  @Test
  @DisplayName("runtime should support stopping PodSandbox")
  void stop() {
    String id = calls.run("PodSandbox-for-stop-test");
    calls.stopPod(id);
    assertThat(status(id).state()).isEqualTo(PodSandboxState.SANDBOX_NOTREADY);
  }

  @Test
  @DisplayName("runtime should support removing PodSandbox")
  void remove() {
    String id = calls.run("PodSandbox-for-remove-test");
    calls.stopPod(id);
    calls.removePod(id);
    assertThat(listed(new PodSandboxFilter(id, null, Map.of()))).isEmpty();
    assertThat(client.failure("PodSandboxStatus", new PodSandboxStatusRequest(id, false)).getCode())
        .isEqualTo(Status.Code.NOT_FOUND);
  }

  @Test
  @DisplayName("runtime should support listing PodSandbox by filters")
  void list() {
    String ready = calls.run("PodSandbox-for-list-test");
    String stopped = calls.run("Other");
    calls.stopPod(stopped);
    PodSandboxStateValue isReady = new PodSandboxStateValue(PodSandboxState.SANDBOX_READY);
    assertThat(listed(new PodSandboxFilter("", isReady, Map.of()))).containsExactly(ready);
    assertThat(listed(new PodSandboxFilter("", null, Map.of("app", "Other"))))
        .containsExactly(stopped);
    assertThat(listed(new PodSandboxFilter(ready.substring(0, 20), isReady, Map.of())))
        .containsExactly(ready);
    assertThat(listed(new PodSandboxFilter(stopped, isReady, Map.of()))).isEmpty();
    assertThat(listed(new PodSandboxFilter("", null, Map.of("app", "Nobody")))).isEmpty();
  }

  @Test
  @DisplayName("should support safe sysctls")
  void safeSysctls() {
    PodSandboxConfig config =
        CriCalls.with(
            calls.pod("pod-sysctls"), CriCalls.sysctls(Map.of("kernel.shm_rmid_forced", "1")));
    String pod = calls.run(config);
    String id = calls.createAndStart(pod, config, CriCalls.Container.named("sysctl"));
    assertThat(calls.output(id, "cat", "/proc/sys/kernel/shm_rmid_forced")).isEqualTo("1\n");
  }

  @Test
  @DisplayName("should support unsafe sysctls")
  void unsafeSysctls() {
    PodSandboxConfig config =
        CriCalls.with(
            calls.pod("pod-sysctls"), CriCalls.sysctls(Map.of("fs.mqueue.msg_max", "100")));
    String pod = calls.run(config);
    String id = calls.createAndStart(pod, config, CriCalls.Container.named("sysctl"));
    assertThat(calls.output(id, "cat", "/proc/sys/fs/mqueue/msg_max")).isEqualTo("100\n");
  }

  @Test
  @DisplayName("runtime should support DNS config")
  void dns() {
    PodSandboxConfig config =
        CriCalls.with(
            calls.pod("pod-dns"),
            "",
            new DnsConfig(List.of("10.10.10.10"), List.of("google.com"), List.of("ndots:8")),
            List.of());
    String pod = calls.run(config);
    String id = calls.createAndStart(pod, config, CriCalls.Container.named("dns"));
    assertThat(calls.output(id, "cat", "/etc/resolv.conf"))
        .isEqualTo("nameserver 10.10.10.10\nsearch google.com\noptions ndots:8\n");
  }

  @Test
  @DisplayName("runtime should support set hostname")
  void hostname() {
    PodSandboxConfig config =
        CriCalls.with(calls.pod("pod-hostname"), "test-hostname", null, List.of());
    String pod = calls.run(config);
    String id = calls.createAndStart(pod, config, CriCalls.Container.named("hostname"));
    assertThat(calls.output(id, "hostname")).isEqualTo("test-hostname\n");
    assertThat(calls.output(id, "cat", "/etc/hostname")).isEqualTo("test-hostname\n");
  }

  @Test
  @DisplayName("runtime should support port mapping with only container port, and with host port")
  void ports() {
    PodSandboxConfig config =
        CriCalls.with(
            calls.pod("pod-ports"),
            "",
            null,
            List.of(
                new PortMapping(Protocol.TCP, 80, 12_000, ""),
                new PortMapping(Protocol.TCP, 81, 0, "")));
    String pod = calls.run(config);
    String id =
        calls.createAndStart(
            pod,
            config,
            CriCalls.Container.named("web")
                .shell("httpd -f -p 81 -h /www & httpd -f -p 80 -h /www"));
    String ip = Objects.requireNonNull(status(pod).network()).ip();
    assertThat(calls.status(id).createdAt()).isPositive();
    for (String address : List.of(ip + ":80", ip + ":81", "10.65.0.1:12000")) {
      Eventually.passes(
          Duration.ofSeconds(20),
          () ->
              assertThat(
                      node.machine
                          .host()
                          .tryExec("curl", "-s", "-m", "2", "http://" + address + "/")
                          .stdout())
                  .as(address)
                  .isEqualTo("hello from the pod\n"));
    }
  }

  /** kubectl reads the address of the pod's network namespace from here. */
  @Test
  void inspectLeadsToTheNetworkNamespace() {
    PodSandboxConfig config = calls.pod("web");
    String pod = calls.run(config);
    String info = calls.podStatus(pod).info().getOrDefault("info", "");
    String netns = node.sandboxes.status(pod).netns();
    assertThat(info)
        .contains("\"runtimeSpec\":{")
        .contains("\"namespaces\":[{\"type\":\"network\",\"path\":\"" + netns + "\"}");
    assertThat(node.machine.in(node.sandboxes.status(pod), "ip", "-br", "addr").run().stdout())
        .contains("eth0");
    assertThat(listed(new PodSandboxFilter("", null, Map.of("app", "web")))).containsExactly(pod);
  }

  @Test
  void namespacesAreReported() {
    String pod =
        calls.run(
            CriCalls.with(
                calls.pod("host"),
                CriCalls.namespaces(
                    NamespaceMode.NODE, NamespaceMode.CONTAINER, NamespaceMode.POD, false)));
    PodSandboxStatus status = status(pod);
    assertThat(Objects.requireNonNull(status.network()).ip()).isEmpty();
    assertThat(String.valueOf(status.linux())).contains("network=NODE, pid=CONTAINER, ipc=POD");
  }
}

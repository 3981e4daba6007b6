package io.ocicat.cri;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cri.message.CommonMessages.LinuxContainerResources;
import io.ocicat.cri.message.CommonMessages.NamespaceMode;
import io.ocicat.cri.message.CommonMessages.NamespaceOption;
import io.ocicat.cri.message.CommonMessages.SupplementalGroupsPolicy;
import io.ocicat.cri.message.ContainerConfigMessages.ContainerConfig;
import io.ocicat.cri.message.ContainerConfigMessages.ContainerMetadata;
import io.ocicat.cri.message.ContainerConfigMessages.ImageSpec;
import io.ocicat.cri.message.ContainerConfigMessages.LinuxContainerConfig;
import io.ocicat.cri.message.ContainerConfigMessages.LinuxContainerSecurityContext;
import io.ocicat.cri.message.ContainerConfigMessages.Mount;
import io.ocicat.cri.message.ContainerMessages.ContainerStatusRequest;
import io.ocicat.cri.message.ContainerMessages.ContainerStatusResponse;
import io.ocicat.cri.message.ContainerMessages.CreateContainerRequest;
import io.ocicat.cri.message.ContainerMessages.CreateContainerResponse;
import io.ocicat.cri.message.ContainerMessages.RemoveContainerRequest;
import io.ocicat.cri.message.ContainerMessages.StartContainerRequest;
import io.ocicat.cri.message.ContainerMessages.StopContainerRequest;
import io.ocicat.cri.message.ContainerStatusMessages.ContainerStatus;
import io.ocicat.cri.message.RuntimeMessages.EmptyResponse;
import io.ocicat.cri.message.SandboxConfigMessages.DnsConfig;
import io.ocicat.cri.message.SandboxConfigMessages.LinuxPodSandboxConfig;
import io.ocicat.cri.message.SandboxConfigMessages.LinuxSandboxSecurityContext;
import io.ocicat.cri.message.SandboxConfigMessages.PodSandboxConfig;
import io.ocicat.cri.message.SandboxConfigMessages.PodSandboxMetadata;
import io.ocicat.cri.message.SandboxConfigMessages.PortMapping;
import io.ocicat.cri.message.SandboxMessages.PodSandboxStatusRequest;
import io.ocicat.cri.message.SandboxMessages.PodSandboxStatusResponse;
import io.ocicat.cri.message.SandboxMessages.RemovePodSandboxRequest;
import io.ocicat.cri.message.SandboxMessages.RunPodSandboxRequest;
import io.ocicat.cri.message.SandboxMessages.RunPodSandboxResponse;
import io.ocicat.cri.message.SandboxMessages.StopPodSandboxRequest;
import io.ocicat.cri.message.StreamingMessages.ExecSyncRequest;
import io.ocicat.cri.message.StreamingMessages.ExecSyncResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The steps that specs are made of, with the configurations that critest sends. */
final class CriCalls {
  final CriClient client;
  private final Path logs;

  CriCalls(CriClient client, Path logs) {
    this.client = client;
    this.logs = logs;
  }

  /** A pod's configuration; names have upper case and the attempt is 2, as in critest. */
  PodSandboxConfig pod(String name) {
    String unique = name + "-" + UUID.randomUUID();
    return new PodSandboxConfig(
        new PodSandboxMetadata(unique, "uid-" + unique, "cri-Test", 2),
        "",
        logs.resolve(unique).toString(),
        null,
        List.of(),
        Map.of("app", name),
        Map.of("note", name),
        null);
  }

  static PodSandboxConfig with(PodSandboxConfig pod, LinuxPodSandboxConfig linux) {
    return new PodSandboxConfig(
        pod.metadata(),
        pod.hostname(),
        pod.logDirectory(),
        pod.dnsConfig(),
        pod.portMappings(),
        pod.labels(),
        pod.annotations(),
        linux);
  }

  static PodSandboxConfig with(
      PodSandboxConfig pod, String hostname, @Nullable DnsConfig dns, List<PortMapping> ports) {
    return new PodSandboxConfig(
        pod.metadata(),
        hostname,
        pod.logDirectory(),
        dns,
        ports,
        pod.labels(),
        pod.annotations(),
        pod.linux());
  }

  static LinuxPodSandboxConfig sysctls(Map<String, String> sysctls) {
    return new LinuxPodSandboxConfig("", null, sysctls, null, null);
  }

  static LinuxPodSandboxConfig namespaces(
      NamespaceMode network, NamespaceMode pid, NamespaceMode ipc, boolean privileged) {
    return new LinuxPodSandboxConfig(
        "",
        new LinuxSandboxSecurityContext(
            new NamespaceOption(network, pid, ipc, "", null),
            null,
            null,
            false,
            List.of(),
            privileged,
            "",
            null,
            null,
            null,
            SupplementalGroupsPolicy.MERGE),
        Map.of(),
        null,
        null);
  }

  String run(PodSandboxConfig pod) {
    String id =
        client
            .call("RunPodSandbox", new RunPodSandboxRequest(pod, ""), RunPodSandboxResponse::read)
            .podSandboxId();
    assertThat(id).matches("[0-9a-f]{64}");
    return id;
  }

  String run(String name) {
    return run(pod(name));
  }

  PodSandboxStatusResponse podStatus(String id) {
    return client.call(
        "PodSandboxStatus", new PodSandboxStatusRequest(id, true), PodSandboxStatusResponse::read);
  }

  void stopPod(String id) {
    client.call("StopPodSandbox", new StopPodSandboxRequest(id), EmptyResponse::read);
  }

  void removePod(String id) {
    client.call("RemovePodSandbox", new RemovePodSandboxRequest(id), EmptyResponse::read);
  }

  /** A container's configuration; like critest's it has no linux message unless asked for. */
  static final class Container {
    final String name;
    private List<String> command = List.of();
    private List<Mount> mounts = List.of();
    private String logPath = "";
    private boolean stdin;
    private boolean stdinOnce;
    private boolean tty;
    private String image = TestImages.BUSYBOX;
    private @Nullable LinuxContainerSecurityContext security;
    private @Nullable LinuxContainerResources resources;
    private int stopSignal;

    private Container(String name) {
      this.name = name + "-" + UUID.randomUUID();
    }

    static Container named(String name) {
      return new Container(name);
    }

    Container running(String... argv) {
      command = List.of(argv);
      return this;
    }

    Container shell(String script) {
      return running("sh", "-c", script);
    }

    Container mounts(Mount... all) {
      mounts = List.of(all);
      return this;
    }

    Container log(String path) {
      logPath = path;
      return this;
    }

    Container interactive(boolean once, boolean terminal) {
      stdin = true;
      stdinOnce = once;
      tty = terminal;
      return this;
    }

    Container image(String reference) {
      image = reference;
      return this;
    }

    Container security(LinuxContainerSecurityContext context) {
      security = context;
      return this;
    }

    Container resources(LinuxContainerResources limits) {
      resources = limits;
      return this;
    }

    Container stopSignal(int number) {
      stopSignal = number;
      return this;
    }

    ContainerConfig config() {
      return new ContainerConfig(
          new ContainerMetadata(name, 2),
          new ImageSpec(image, Map.of(), "", "", ""),
          command,
          List.of(),
          "",
          List.of(),
          mounts,
          List.of(),
          Map.of("container", name),
          Map.of("note", "of " + name),
          logPath,
          stdin,
          stdinOnce,
          tty,
          security == null && resources == null
              ? null
              : new LinuxContainerConfig(resources, security),
          List.of(),
          stopSignal);
    }
  }

  String create(String pod, PodSandboxConfig podConfig, Container container) {
    return client
        .call(
            "CreateContainer",
            new CreateContainerRequest(pod, container.config(), podConfig),
            CreateContainerResponse::read)
        .containerId();
  }

  void start(String id) {
    client.call("StartContainer", new StartContainerRequest(id), EmptyResponse::read);
  }

  String createAndStart(String pod, PodSandboxConfig podConfig, Container container) {
    String id = create(pod, podConfig, container);
    start(id);
    return id;
  }

  void stop(String id, long seconds) {
    client.call("StopContainer", new StopContainerRequest(id, seconds), EmptyResponse::read);
  }

  void remove(String id) {
    client.call("RemoveContainer", new RemoveContainerRequest(id), EmptyResponse::read);
  }

  ContainerStatus status(String id) {
    ContainerStatus status =
        client
            .call(
                "ContainerStatus",
                new ContainerStatusRequest(id, false),
                ContainerStatusResponse::read)
            .status();
    if (status == null) {
      throw new AssertionError("no status");
    }
    return status;
  }

  ExecSyncResponse exec(String id, String... command) {
    return client.call(
        "ExecSync", new ExecSyncRequest(id, List.of(command), 0), ExecSyncResponse::read);
  }

  /** The output of a command that succeeds and reports no errors. */
  String output(String id, String... command) {
    ExecSyncResponse result = exec(id, command);
    assertThat(text(result.stderr())).isEmpty();
    assertThat(result.exitCode()).isZero();
    return text(result.stdout());
  }

  static String text(java.nio.ByteBuffer bytes) {
    return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
  }
}

package io.ocicat.cri.service;

import io.ocicat.base.Quoted;
import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.cri.message.CommonMessages.NamespaceOption;
import io.ocicat.cri.message.SandboxConfigMessages.LinuxPodSandboxConfig;
import io.ocicat.cri.message.SandboxConfigMessages.LinuxSandboxSecurityContext;
import io.ocicat.cri.message.SandboxConfigMessages.PodSandboxConfig;
import io.ocicat.cri.message.SandboxConfigMessages.PodSandboxMetadata;
import io.ocicat.cri.message.SandboxConfigMessages.PortMapping;
import io.ocicat.cri.message.SandboxMessages.LinuxPodSandboxStatus;
import io.ocicat.cri.message.SandboxMessages.Namespace;
import io.ocicat.cri.message.SandboxMessages.PodIp;
import io.ocicat.cri.message.SandboxMessages.PodSandbox;
import io.ocicat.cri.message.SandboxMessages.PodSandboxFilter;
import io.ocicat.cri.message.SandboxMessages.PodSandboxNetworkStatus;
import io.ocicat.cri.message.SandboxMessages.PodSandboxState;
import io.ocicat.cri.message.SandboxMessages.PodSandboxStatus;
import io.ocicat.sandbox.DnsConfig;
import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.PodMetadata;
import io.ocicat.sandbox.PodPort;
import io.ocicat.sandbox.PodSecurity;
import io.ocicat.sandbox.pods.SandboxFilter;
import io.ocicat.sandbox.pods.SandboxItem;
import io.ocicat.sandbox.pods.SandboxState;
import io.ocicat.sandbox.pods.SandboxStatus;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Converts between the messages of pod sandboxes and their values. */
final class SandboxValues {
  private static final int LONGEST_CGROUP = 2048;
  private static final int LONGEST_NAME = 255;

  private SandboxValues() {}

  /**
   * The configuration of a pod.
   *
   * @param request kept with it
   */
  static PodConfig config(PodSandboxConfig message, byte[] request) {
    PodSandboxMetadata metadata = Required.present("config.metadata", message.metadata());
    KernelLimits.path("config.log_directory", message.logDirectory());
    PodConfig.Builder config =
        PodConfig.of(
                new PodMetadata(
                    metadata.name(), metadata.namespace(), metadata.uid(), metadata.attempt()))
            .hostname(message.hostname())
            .logDirectory(message.logDirectory())
            .ports(message.portMappings().stream().map(SandboxValues::port).toList())
            .labels(message.labels())
            .annotations(message.annotations())
            .request(request);
    if (message.dnsConfig() != null) {
      config.dns(
          new DnsConfig(
              message.dnsConfig().servers(),
              message.dnsConfig().searches(),
              message.dnsConfig().options()));
    }
    if (message.linux() != null) {
      linux(message.linux(), config);
    }
    return config.build();
  }

  private static void linux(LinuxPodSandboxConfig linux, PodConfig.Builder config) {
    checkCgroup(linux.cgroupParent());
    config
        .cgroupParent(linux.cgroupParent())
        .sysctls(linux.sysctls())
        .overhead(CommonValues.resources(linux.overhead()))
        .resources(CommonValues.resources(linux.resources()));
    LinuxSandboxSecurityContext context = linux.securityContext();
    if (context == null) {
      return;
    }
    String at = "config.linux.security_context";
    NamespaceOption namespaces = CommonValues.orDefault(context.namespaceOptions());
    config
        .network(CommonValues.mode(namespaces.network()))
        .pid(CommonValues.mode(namespaces.pid()))
        .ipc(CommonValues.mode(namespaces.ipc()))
        .security(
            new PodSecurity(
                context.privileged(),
                context.runAsUser(),
                context.runAsGroup(),
                context.supplementalGroups(),
                context.readonlyRootfs(),
                CommonValues.profile(
                    at + ".seccomp", context.seccomp(), context.seccompProfilePath()),
                CommonValues.userNamespace(at + ".namespace_options", namespaces)));
  }

  /** It becomes a path below /sys/fs/cgroup. */
  private static void checkCgroup(String parent) {
    boolean usable =
        parent.length() <= LONGEST_CGROUP
            && parent.chars().noneMatch(Character::isISOControl)
            && Arrays.stream(parent.split("/", -1))
                .allMatch(part -> part.length() <= LONGEST_NAME && !part.equals(".."));
    if (!usable) {
      throw Required.invalid(
          "config.linux.cgroup_parent %s is not the path of a cgroup"
              .formatted(Quoted.brief(parent)));
    }
  }

  private static PodPort port(PortMapping message) {
    Protocol protocol =
        switch (message.protocol()) {
          case TCP -> Protocol.TCP;
          case UDP -> Protocol.UDP;
          case SCTP -> Protocol.SCTP;
        };
    return new PodPort(protocol, message.containerPort(), message.hostPort(), message.hostIp());
  }

  static SandboxFilter filter(@Nullable PodSandboxFilter message) {
    if (message == null) {
      return SandboxFilter.ALL;
    }
    SandboxState state =
        message.state() == null
            ? null
            : switch (message.state().state()) {
              case SANDBOX_READY -> SandboxState.READY;
              case SANDBOX_NOTREADY -> SandboxState.NOTREADY;
            };
    return new SandboxFilter(message.id(), state, message.labelSelector());
  }

  static PodSandbox listed(SandboxItem sandbox) {
    return new PodSandbox(
        sandbox.id(),
        metadata(sandbox.config()),
        state(sandbox.state()),
        sandbox.createdAt(),
        sandbox.config().labels(),
        sandbox.config().annotations(),
        sandbox.runtimeHandler());
  }

  static PodSandboxStatus status(SandboxStatus sandbox) {
    List<String> ips = sandbox.ips();
    return new PodSandboxStatus(
        sandbox.id(),
        metadata(sandbox.config()),
        state(sandbox.state()),
        sandbox.createdAt(),
        new PodSandboxNetworkStatus(
            ips.isEmpty() ? "" : ips.getFirst(), ips.stream().skip(1).map(PodIp::new).toList()),
        new LinuxPodSandboxStatus(
            new Namespace(
                new NamespaceOption(
                    CommonValues.message(sandbox.config().network()),
                    CommonValues.message(sandbox.config().pid()),
                    CommonValues.message(sandbox.config().ipc()),
                    "",
                    null))),
        sandbox.config().labels(),
        sandbox.config().annotations(),
        sandbox.runtimeHandler());
  }

  private static PodSandboxMetadata metadata(PodConfig config) {
    PodMetadata metadata = config.metadata();
    return new PodSandboxMetadata(
        metadata.name(), metadata.uid(), metadata.namespace(), metadata.attempt());
  }

  private static PodSandboxState state(SandboxState state) {
    return switch (state) {
      case READY -> PodSandboxState.SANDBOX_READY;
      case NOTREADY -> PodSandboxState.SANDBOX_NOTREADY;
    };
  }
}

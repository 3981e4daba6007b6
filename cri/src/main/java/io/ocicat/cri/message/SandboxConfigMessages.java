package io.ocicat.cri.message;

import io.ocicat.cri.message.CommonMessages.LinuxContainerResources;
import io.ocicat.cri.message.CommonMessages.NamespaceOption;
import io.ocicat.cri.message.CommonMessages.SeLinuxOption;
import io.ocicat.cri.message.CommonMessages.SecurityProfile;
import io.ocicat.cri.message.CommonMessages.SupplementalGroupsPolicy;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The configuration of a pod sandbox. */
public final class SandboxConfigMessages {
  private SandboxConfigMessages() {}

  /** The protocol of a port. */
  public enum Protocol {
    TCP,
    UDP,
    SCTP
  }

  /** The identity of a sandbox. */
  public record PodSandboxMetadata(String name, String uid, String namespace, long attempt)
      implements CriMessage {
    public static PodSandboxMetadata read(Fields in) {
      return new PodSandboxMetadata(
          in.text(1, "name"),
          in.text(2, "uid"),
          in.text(3, "namespace"),
          in.unsigned32(4, "attempt"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, name).text(2, uid).text(3, namespace).number(4, attempt);
    }
  }

  /** The lines of resolv.conf. */
  public record DnsConfig(List<String> servers, List<String> searches, List<String> options)
      implements CriMessage {
    public DnsConfig {
      servers = List.copyOf(servers);
      searches = List.copyOf(searches);
      options = List.copyOf(options);
    }

    public static DnsConfig read(Fields in) {
      return new DnsConfig(in.texts(1, "servers"), in.texts(2, "searches"), in.texts(3, "options"));
    }

    @Override
    public void write(FieldWriter out) {
      out.texts(1, servers).texts(2, searches).texts(3, options);
    }
  }

  /** A port of a pod. */
  public record PortMapping(Protocol protocol, int containerPort, int hostPort, String hostIp)
      implements CriMessage {
    public static PortMapping read(Fields in) {
      return new PortMapping(
          in.choice(1, "protocol", Protocol.values()),
          in.int32(2, "container_port"),
          in.int32(3, "host_port"),
          in.text(4, "host_ip"));
    }

    @Override
    public void write(FieldWriter out) {
      out.choice(1, protocol).number(2, containerPort).number(3, hostPort).text(4, hostIp);
    }
  }

  /** The rights of a sandbox. */
  public record LinuxSandboxSecurityContext(
      @Nullable NamespaceOption namespaceOptions,
      @Nullable SeLinuxOption selinuxOptions,
      @Nullable Long runAsUser,
      boolean readonlyRootfs,
      List<Long> supplementalGroups,
      boolean privileged,
      String seccompProfilePath,
      @Nullable Long runAsGroup,
      @Nullable SecurityProfile seccomp,
      @Nullable SecurityProfile apparmor,
      SupplementalGroupsPolicy supplementalGroupsPolicy)
      implements CriMessage {
    public LinuxSandboxSecurityContext {
      supplementalGroups = List.copyOf(supplementalGroups);
    }

    public static LinuxSandboxSecurityContext read(Fields in) {
      return new LinuxSandboxSecurityContext(
          in.message(1, "namespace_options", NamespaceOption::read),
          in.message(2, "selinux_options", SeLinuxOption::read),
          in.wrapped(3, "run_as_user"),
          in.flag(4, "readonly_rootfs"),
          in.numbers(5, "supplemental_groups"),
          in.flag(6, "privileged"),
          in.text(7, "seccomp_profile_path"),
          in.wrapped(8, "run_as_group"),
          in.message(9, "seccomp", SecurityProfile::read),
          in.message(10, "apparmor", SecurityProfile::read),
          in.choice(11, "supplemental_groups_policy", SupplementalGroupsPolicy.values()));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, namespaceOptions)
          .message(2, selinuxOptions)
          .wrapped(3, runAsUser)
          .flag(4, readonlyRootfs)
          .numbers(5, supplementalGroups)
          .flag(6, privileged)
          .text(7, seccompProfilePath)
          .wrapped(8, runAsGroup)
          .message(9, seccomp)
          .message(10, apparmor)
          .choice(11, supplementalGroupsPolicy);
    }
  }

  /** What a sandbox needs of Linux. */
  public record LinuxPodSandboxConfig(
      String cgroupParent,
      @Nullable LinuxSandboxSecurityContext securityContext,
      Map<String, String> sysctls,
      @Nullable LinuxContainerResources overhead,
      @Nullable LinuxContainerResources resources)
      implements CriMessage {
    public LinuxPodSandboxConfig {
      sysctls = Map.copyOf(sysctls);
    }

    public static LinuxPodSandboxConfig read(Fields in) {
      return new LinuxPodSandboxConfig(
          in.text(1, "cgroup_parent"),
          in.message(2, "security_context", LinuxSandboxSecurityContext::read),
          in.map(3, "sysctls"),
          in.message(4, "overhead", LinuxContainerResources::read),
          in.message(5, "resources", LinuxContainerResources::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, cgroupParent)
          .message(2, securityContext)
          .map(3, sysctls)
          .message(4, overhead)
          .message(5, resources);
    }
  }

  /** What a sandbox is run with. */
  public record PodSandboxConfig(
      @Nullable PodSandboxMetadata metadata,
      String hostname,
      String logDirectory,
      @Nullable DnsConfig dnsConfig,
      List<PortMapping> portMappings,
      Map<String, String> labels,
      Map<String, String> annotations,
      @Nullable LinuxPodSandboxConfig linux)
      implements CriMessage {
    public PodSandboxConfig {
      portMappings = List.copyOf(portMappings);
      labels = Map.copyOf(labels);
      annotations = Map.copyOf(annotations);
    }

    public static PodSandboxConfig read(Fields in) {
      return new PodSandboxConfig(
          in.message(1, "metadata", PodSandboxMetadata::read),
          in.text(2, "hostname"),
          in.text(3, "log_directory"),
          in.message(4, "dns_config", DnsConfig::read),
          in.messages(5, "port_mappings", PortMapping::read),
          in.map(6, "labels"),
          in.map(7, "annotations"),
          in.message(8, "linux", LinuxPodSandboxConfig::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, metadata)
          .text(2, hostname)
          .text(3, logDirectory)
          .message(4, dnsConfig)
          .messages(5, portMappings)
          .map(6, labels)
          .map(7, annotations)
          .message(8, linux);
    }
  }
}

package io.ocicat.cri.service;

import io.ocicat.base.Quoted;
import io.ocicat.cri.message.CommonMessages.NamespaceOption;
import io.ocicat.cri.message.CommonMessages.SupplementalGroupsPolicy;
import io.ocicat.cri.message.ContainerConfigMessages;
import io.ocicat.cri.message.ContainerConfigMessages.Capability;
import io.ocicat.cri.message.ContainerConfigMessages.Device;
import io.ocicat.cri.message.ContainerConfigMessages.ImageSpec;
import io.ocicat.cri.message.ContainerConfigMessages.KeyValue;
import io.ocicat.cri.message.ContainerConfigMessages.LinuxContainerSecurityContext;
import io.ocicat.cri.message.ContainerConfigMessages.Mount;
import io.ocicat.image.Image;
import io.ocicat.sandbox.container.ContainerConfig;
import io.ocicat.sandbox.container.ContainerDevice;
import io.ocicat.sandbox.container.ContainerImage;
import io.ocicat.sandbox.container.ContainerMount;
import io.ocicat.sandbox.container.ContainerMount.Propagation;
import io.ocicat.sandbox.container.ContainerSecurity;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts the configuration of a container from its message. */
final class ContainerValues {
  private ContainerValues() {}

  static ContainerConfig config(ContainerConfigMessages.ContainerConfig message) {
    ContainerConfigMessages.ContainerMetadata metadata =
        Required.present("config.metadata", message.metadata());
    ImageSpec image = Required.present("config.image", message.image());
    if (!message.cdiDevices().isEmpty()) {
      throw io.grpc.Status.UNIMPLEMENTED
          .withDescription("config.CDI_devices: CDI is not supported; name devices by their paths")
          .asRuntimeException();
    }
    KernelLimits.command("config.command", message.command());
    message.args().forEach(word -> KernelLimits.argument("config.args", word));
    KernelLimits.path("config.working_dir", message.workingDir());
    KernelLimits.path("config.log_path", message.logPath());
    ContainerConfig.Builder config =
        ContainerConfig.of(
                metadata.name(),
                metadata.attempt(),
                Required.text("config.image.image", image.image()))
            .userImage(image.userSpecifiedImage())
            .command(message.command(), message.args())
            .workingDir(message.workingDir())
            .env(variables(message.envs()))
            .mounts(message.mounts().stream().map(ContainerValues::mount).toList())
            .devices(message.devices().stream().map(ContainerValues::device).toList())
            .labels(message.labels())
            .annotations(message.annotations())
            .logPath(message.logPath())
            .stdin(message.stdin(), message.stdinOnce())
            .tty(message.tty())
            .stopSignal(SignalNumbers.name(message.stopSignal()));
    if (message.linux() != null) {
      config.resources(CommonValues.resources(message.linux().resources()));
      config.security(security(message.linux().securityContext()));
    }
    return config.build();
  }

  /** A value that is not UTF-8 is refused by the name of its variable. */
  private static Map<String, String> variables(List<KeyValue> messages) {
    Map<String, String> variables = new LinkedHashMap<>();
    for (KeyValue message : messages) {
      KernelLimits.argument("config.envs", message.key());
      try {
        variables.put(
            message.key(),
            StandardCharsets.UTF_8.newDecoder().decode(message.value().duplicate()).toString());
        KernelLimits.argument("config.envs", message.key() + "=" + variables.get(message.key()));
      } catch (CharacterCodingException e) {
        throw Required.invalid(
            "config.envs: the value of %s is not UTF-8".formatted(Quoted.brief(message.key())));
      }
    }
    return variables;
  }

  private static ContainerMount mount(Mount message) {
    KernelLimits.path("config.mounts.container_path", message.containerPath());
    KernelLimits.path("config.mounts.host_path", message.hostPath());
    return new ContainerMount(
        message.containerPath(),
        message.hostPath(),
        message.readonly(),
        message.selinuxRelabel(),
        switch (message.propagation()) {
          case PROPAGATION_PRIVATE -> Propagation.PRIVATE;
          case PROPAGATION_HOST_TO_CONTAINER -> Propagation.HOST_TO_CONTAINER;
          case PROPAGATION_BIDIRECTIONAL -> Propagation.BIDIRECTIONAL;
        },
        message.recursiveReadOnly(),
        message.image() == null ? "" : message.image().image(),
        message.imageSubPath(),
        !message.uidMappings().isEmpty() || !message.gidMappings().isEmpty(),
        message.mountOptions());
  }

  static Mount message(ContainerMount mount) {
    return new Mount(
        mount.containerPath(),
        mount.hostPath(),
        mount.readOnly(),
        mount.selinuxRelabel(),
        switch (mount.propagation()) {
          case PRIVATE -> ContainerConfigMessages.MountPropagation.PROPAGATION_PRIVATE;
          case HOST_TO_CONTAINER ->
              ContainerConfigMessages.MountPropagation.PROPAGATION_HOST_TO_CONTAINER;
          case BIDIRECTIONAL -> ContainerConfigMessages.MountPropagation.PROPAGATION_BIDIRECTIONAL;
        },
        List.of(),
        List.of(),
        mount.recursiveReadOnly(),
        null,
        mount.imageSubPath(),
        mount.options());
  }

  private static ContainerDevice device(Device message) {
    KernelLimits.path("config.devices.container_path", message.containerPath());
    KernelLimits.path("config.devices.host_path", message.hostPath());
    return new ContainerDevice(message.containerPath(), message.hostPath(), message.permissions());
  }

  private static ContainerSecurity security(@Nullable LinuxContainerSecurityContext message) {
    if (message == null) {
      return ContainerSecurity.NONE;
    }
    String at = "config.linux.security_context";
    NamespaceOption namespaces = CommonValues.orDefault(message.namespaceOptions());
    Capability capabilities =
        message.capabilities() != null
            ? message.capabilities()
            : new Capability(List.of(), List.of(), List.of());
    return ContainerSecurity.builder()
        .capabilities(
            capabilities.addCapabilities(),
            capabilities.dropCapabilities(),
            capabilities.addAmbientCapabilities())
        .privileged(message.privileged())
        .namespaces(
            CommonValues.mode(namespaces.network()),
            CommonValues.mode(namespaces.pid()),
            CommonValues.mode(namespaces.ipc()))
        .target(namespaces.targetId())
        .userNamespace(CommonValues.userNamespace(at + ".namespace_options", namespaces))
        .user(message.runAsUser(), message.runAsUsername(), message.runAsGroup())
        .groups(
            message.supplementalGroups(),
            message.supplementalGroupsPolicy() == SupplementalGroupsPolicy.STRICT)
        .readonlyRootfs(message.readonlyRootfs())
        .noNewPrivileges(message.noNewPrivs())
        .paths(message.maskedPaths(), message.readonlyPaths())
        .seccomp(
            CommonValues.profile(at + ".seccomp", message.seccomp(), message.seccompProfilePath()))
        .apparmor(
            CommonValues.profile(at + ".apparmor", message.apparmor(), message.apparmorProfile()))
        .build();
  }

  static ContainerImage image(Image image) {
    String id = image.id().toString();
    return new ContainerImage(
        id,
        image.repoDigests().isEmpty() ? id : image.repoDigests().getFirst(),
        image.config().user(),
        image.config().env(),
        image.config().entrypoint(),
        image.config().cmd(),
        image.config().workingDir(),
        image.config().volumes(),
        image.config().stopSignal());
  }
}

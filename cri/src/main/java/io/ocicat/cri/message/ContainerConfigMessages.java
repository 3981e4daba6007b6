package io.ocicat.cri.message;

import io.ocicat.cri.message.CommonMessages.IdMapping;
import io.ocicat.cri.message.CommonMessages.LinuxContainerResources;
import io.ocicat.cri.message.CommonMessages.NamespaceOption;
import io.ocicat.cri.message.CommonMessages.SeLinuxOption;
import io.ocicat.cri.message.CommonMessages.SecurityProfile;
import io.ocicat.cri.message.CommonMessages.SupplementalGroupsPolicy;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The configuration of a container. */
public final class ContainerConfigMessages {
  private ContainerConfigMessages() {}

  /** Which later mounts are seen on the other side. */
  public enum MountPropagation {
    PROPAGATION_PRIVATE,
    PROPAGATION_HOST_TO_CONTAINER,
    PROPAGATION_BIDIRECTIONAL
  }

  /** The identity of a container in its pod. */
  public record ContainerMetadata(String name, long attempt) implements CriMessage {
    public static ContainerMetadata read(Fields in) {
      return new ContainerMetadata(in.text(1, "name"), in.unsigned32(2, "attempt"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, name).number(2, attempt);
    }
  }

  /** A variable; its value need not be UTF-8. */
  public record KeyValue(String key, ByteBuffer value) implements CriMessage {
    public static KeyValue read(Fields in) {
      return new KeyValue(in.text(1, "key"), in.bytes(2, "value"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, key).bytes(2, value);
    }
  }

  /** The reference of an image. */
  public record ImageSpec(
      String image,
      Map<String, String> annotations,
      String userSpecifiedImage,
      String runtimeHandler,
      String imageRef)
      implements CriMessage {
    public ImageSpec {
      annotations = Map.copyOf(annotations);
    }

    public static ImageSpec read(Fields in) {
      return new ImageSpec(
          in.text(1, "image"),
          in.map(2, "annotations"),
          in.text(18, "user_specified_image"),
          in.text(19, "runtime_handler"),
          in.text(20, "image_ref"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, image)
          .map(2, annotations)
          .text(18, userSpecifiedImage)
          .text(19, runtimeHandler)
          .text(20, imageRef);
    }
  }

  /** A mount of a container. */
  public record Mount(
      String containerPath,
      String hostPath,
      boolean readonly,
      boolean selinuxRelabel,
      MountPropagation propagation,
      List<IdMapping> uidMappings,
      List<IdMapping> gidMappings,
      boolean recursiveReadOnly,
      @Nullable ImageSpec image,
      String imageSubPath,
      List<String> mountOptions)
      implements CriMessage {
    public Mount {
      uidMappings = List.copyOf(uidMappings);
      gidMappings = List.copyOf(gidMappings);
      mountOptions = List.copyOf(mountOptions);
    }

    public static Mount read(Fields in) {
      return new Mount(
          in.text(1, "container_path"),
          in.text(2, "host_path"),
          in.flag(3, "readonly"),
          in.flag(4, "selinux_relabel"),
          in.choice(5, "propagation", MountPropagation.values()),
          in.messages(6, "uid_mappings", IdMapping::read),
          in.messages(7, "gid_mappings", IdMapping::read),
          in.flag(8, "recursive_read_only"),
          in.message(9, "image", ImageSpec::read),
          in.text(10, "image_sub_path"),
          in.texts(11, "mount_options"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, containerPath)
          .text(2, hostPath)
          .flag(3, readonly)
          .flag(4, selinuxRelabel)
          .choice(5, propagation)
          .messages(6, uidMappings)
          .messages(7, gidMappings)
          .flag(8, recursiveReadOnly)
          .message(9, image)
          .text(10, imageSubPath)
          .texts(11, mountOptions);
    }
  }

  /** A device of a container. */
  public record Device(String containerPath, String hostPath, String permissions)
      implements CriMessage {
    public static Device read(Fields in) {
      return new Device(
          in.text(1, "container_path"), in.text(2, "host_path"), in.text(3, "permissions"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, containerPath).text(2, hostPath).text(3, permissions);
    }
  }

  /** A device by its CDI name. */
  public record CdiDevice(String name) implements CriMessage {
    public static CdiDevice read(Fields in) {
      return new CdiDevice(in.text(1, "name"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, name);
    }
  }

  /** Changes of the default capabilities. */
  public record Capability(
      List<String> addCapabilities,
      List<String> dropCapabilities,
      List<String> addAmbientCapabilities)
      implements CriMessage {
    public Capability {
      addCapabilities = List.copyOf(addCapabilities);
      dropCapabilities = List.copyOf(dropCapabilities);
      addAmbientCapabilities = List.copyOf(addAmbientCapabilities);
    }

    public static Capability read(Fields in) {
      return new Capability(
          in.texts(1, "add_capabilities"),
          in.texts(2, "drop_capabilities"),
          in.texts(3, "add_ambient_capabilities"));
    }

    @Override
    public void write(FieldWriter out) {
      out.texts(1, addCapabilities).texts(2, dropCapabilities).texts(3, addAmbientCapabilities);
    }
  }

  /** The rights of a container. */
  public record LinuxContainerSecurityContext(
      @Nullable Capability capabilities,
      boolean privileged,
      @Nullable NamespaceOption namespaceOptions,
      @Nullable SeLinuxOption selinuxOptions,
      @Nullable Long runAsUser,
      String runAsUsername,
      boolean readonlyRootfs,
      List<Long> supplementalGroups,
      String apparmorProfile,
      String seccompProfilePath,
      boolean noNewPrivs,
      @Nullable Long runAsGroup,
      List<String> maskedPaths,
      List<String> readonlyPaths,
      @Nullable SecurityProfile seccomp,
      @Nullable SecurityProfile apparmor,
      SupplementalGroupsPolicy supplementalGroupsPolicy)
      implements CriMessage {
    public LinuxContainerSecurityContext {
      supplementalGroups = List.copyOf(supplementalGroups);
      maskedPaths = List.copyOf(maskedPaths);
      readonlyPaths = List.copyOf(readonlyPaths);
    }

    public static LinuxContainerSecurityContext read(Fields in) {
      return new LinuxContainerSecurityContext(
          in.message(1, "capabilities", Capability::read),
          in.flag(2, "privileged"),
          in.message(3, "namespace_options", NamespaceOption::read),
          in.message(4, "selinux_options", SeLinuxOption::read),
          in.wrapped(5, "run_as_user"),
          in.text(6, "run_as_username"),
          in.flag(7, "readonly_rootfs"),
          in.numbers(8, "supplemental_groups"),
          in.text(9, "apparmor_profile"),
          in.text(10, "seccomp_profile_path"),
          in.flag(11, "no_new_privs"),
          in.wrapped(12, "run_as_group"),
          in.texts(13, "masked_paths"),
          in.texts(14, "readonly_paths"),
          in.message(15, "seccomp", SecurityProfile::read),
          in.message(16, "apparmor", SecurityProfile::read),
          in.choice(17, "supplemental_groups_policy", SupplementalGroupsPolicy.values()));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, capabilities)
          .flag(2, privileged)
          .message(3, namespaceOptions)
          .message(4, selinuxOptions)
          .wrapped(5, runAsUser)
          .text(6, runAsUsername)
          .flag(7, readonlyRootfs)
          .numbers(8, supplementalGroups)
          .text(9, apparmorProfile)
          .text(10, seccompProfilePath)
          .flag(11, noNewPrivs)
          .wrapped(12, runAsGroup)
          .texts(13, maskedPaths)
          .texts(14, readonlyPaths)
          .message(15, seccomp)
          .message(16, apparmor)
          .choice(17, supplementalGroupsPolicy);
    }
  }

  /** What a container needs of Linux. */
  public record LinuxContainerConfig(
      @Nullable LinuxContainerResources resources,
      @Nullable LinuxContainerSecurityContext securityContext)
      implements CriMessage {
    public static LinuxContainerConfig read(Fields in) {
      return new LinuxContainerConfig(
          in.message(1, "resources", LinuxContainerResources::read),
          in.message(2, "security_context", LinuxContainerSecurityContext::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, resources).message(2, securityContext);
    }
  }

  /** What a container is created with. */
  public record ContainerConfig(
      @Nullable ContainerMetadata metadata,
      @Nullable ImageSpec image,
      List<String> command,
      List<String> args,
      String workingDir,
      List<KeyValue> envs,
      List<Mount> mounts,
      List<Device> devices,
      Map<String, String> labels,
      Map<String, String> annotations,
      String logPath,
      boolean stdin,
      boolean stdinOnce,
      boolean tty,
      @Nullable LinuxContainerConfig linux,
      List<CdiDevice> cdiDevices,
      int stopSignal)
      implements CriMessage {
    public ContainerConfig {
      command = List.copyOf(command);
      args = List.copyOf(args);
      envs = List.copyOf(envs);
      mounts = List.copyOf(mounts);
      devices = List.copyOf(devices);
      labels = Map.copyOf(labels);
      annotations = Map.copyOf(annotations);
      cdiDevices = List.copyOf(cdiDevices);
    }

    public static ContainerConfig read(Fields in) {
      return new ContainerConfig(
          in.message(1, "metadata", ContainerMetadata::read),
          in.message(2, "image", ImageSpec::read),
          in.texts(3, "command"),
          in.texts(4, "args"),
          in.text(5, "working_dir"),
          in.messages(6, "envs", KeyValue::read),
          in.messages(7, "mounts", Mount::read),
          in.messages(8, "devices", Device::read),
          in.map(9, "labels"),
          in.map(10, "annotations"),
          in.text(11, "log_path"),
          in.flag(12, "stdin"),
          in.flag(13, "stdin_once"),
          in.flag(14, "tty"),
          in.message(15, "linux", LinuxContainerConfig::read),
          in.messages(17, "cdi_devices", CdiDevice::read),
          in.int32(18, "stop_signal"));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, metadata)
          .message(2, image)
          .texts(3, command)
          .texts(4, args)
          .text(5, workingDir)
          .messages(6, envs)
          .messages(7, mounts)
          .messages(8, devices)
          .map(9, labels)
          .map(10, annotations)
          .text(11, logPath)
          .flag(12, stdin)
          .flag(13, stdinOnce)
          .flag(14, tty)
          .message(15, linux)
          .messages(17, cdiDevices)
          .number(18, stopSignal);
    }
  }
}

package io.ocicat.cri.message;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Requests about the runtime itself, and their answers. */
public final class RuntimeMessages {
  private RuntimeMessages() {}

  /** Who makes cgroups. */
  public enum CgroupDriver {
    SYSTEMD,
    CGROUPFS
  }

  /** Asks for versions. */
  public record VersionRequest(String version) implements CriMessage {
    public static VersionRequest read(Fields in) {
      return new VersionRequest(in.text(1, "version"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, version);
    }
  }

  /** The versions of protocol and runtime. */
  public record VersionResponse(
      String version, String runtimeName, String runtimeVersion, String runtimeApiVersion)
      implements CriMessage {
    public static VersionResponse read(Fields in) {
      return new VersionResponse(
          in.text(1, "version"),
          in.text(2, "runtime_name"),
          in.text(3, "runtime_version"),
          in.text(4, "runtime_api_version"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, version).text(2, runtimeName).text(3, runtimeVersion).text(4, runtimeApiVersion);
    }
  }

  /** Asks whether the runtime can run pods. */
  public record StatusRequest(boolean verbose) implements CriMessage {
    public static StatusRequest read(Fields in) {
      return new StatusRequest(in.flag(1, "verbose"));
    }

    @Override
    public void write(FieldWriter out) {
      out.flag(1, verbose);
    }
  }

  /** One condition. */
  public record RuntimeCondition(String type, boolean status, String reason, String message)
      implements CriMessage {
    public static RuntimeCondition read(Fields in) {
      return new RuntimeCondition(
          in.text(1, "type"), in.flag(2, "status"), in.text(3, "reason"), in.text(4, "message"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, type).flag(2, status).text(3, reason).text(4, message);
    }
  }

  /** All conditions. */
  public record RuntimeStatus(List<RuntimeCondition> conditions) implements CriMessage {
    public RuntimeStatus {
      conditions = List.copyOf(conditions);
    }

    public static RuntimeStatus read(Fields in) {
      return new RuntimeStatus(in.messages(1, "conditions", RuntimeCondition::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.messages(1, conditions);
    }
  }

  /** What a handler can do. */
  public record RuntimeHandlerFeatures(boolean recursiveReadOnlyMounts, boolean userNamespaces)
      implements CriMessage {
    public static RuntimeHandlerFeatures read(Fields in) {
      return new RuntimeHandlerFeatures(
          in.flag(1, "recursive_read_only_mounts"), in.flag(2, "user_namespaces"));
    }

    @Override
    public void write(FieldWriter out) {
      out.flag(1, recursiveReadOnlyMounts).flag(2, userNamespaces);
    }
  }

  /** A handler; the one without a name is the default. */
  public record RuntimeHandler(String name, @Nullable RuntimeHandlerFeatures features)
      implements CriMessage {
    public static RuntimeHandler read(Fields in) {
      return new RuntimeHandler(
          in.text(1, "name"), in.message(2, "features", RuntimeHandlerFeatures::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, name).message(2, features);
    }
  }

  /** What the runtime can do. */
  public record RuntimeFeatures(
      boolean supplementalGroupsPolicy, boolean userNamespacesHostNetwork, boolean mountOptions)
      implements CriMessage {
    public static RuntimeFeatures read(Fields in) {
      return new RuntimeFeatures(
          in.flag(1, "supplemental_groups_policy"),
          in.flag(2, "user_namespaces_host_network"),
          in.flag(3, "mount_options"));
    }

    @Override
    public void write(FieldWriter out) {
      out.flag(1, supplementalGroupsPolicy)
          .flag(2, userNamespacesHostNetwork)
          .flag(3, mountOptions);
    }
  }

  /** Whether the runtime can run pods. */
  public record StatusResponse(
      @Nullable RuntimeStatus status,
      Map<String, String> info,
      List<RuntimeHandler> runtimeHandlers,
      @Nullable RuntimeFeatures features)
      implements CriMessage {
    public StatusResponse {
      info = Map.copyOf(info);
      runtimeHandlers = List.copyOf(runtimeHandlers);
    }

    public static StatusResponse read(Fields in) {
      return new StatusResponse(
          in.message(1, "status", RuntimeStatus::read),
          in.map(2, "info"),
          in.messages(3, "runtime_handlers", RuntimeHandler::read),
          in.message(4, "features", RuntimeFeatures::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, status).map(2, info).messages(3, runtimeHandlers).message(4, features);
    }
  }

  /** Asks for the cgroup driver. */
  public record RuntimeConfigRequest() implements CriMessage {
    public static RuntimeConfigRequest read(Fields in) {
      return new RuntimeConfigRequest();
    }

    @Override
    public void write(FieldWriter out) {}
  }

  /** The part that concerns Linux. */
  public record LinuxRuntimeConfiguration(CgroupDriver cgroupDriver) implements CriMessage {
    public static LinuxRuntimeConfiguration read(Fields in) {
      return new LinuxRuntimeConfiguration(in.choice(1, "cgroup_driver", CgroupDriver.values()));
    }

    @Override
    public void write(FieldWriter out) {
      out.choice(1, cgroupDriver);
    }
  }

  /** The cgroup driver. */
  public record RuntimeConfigResponse(@Nullable LinuxRuntimeConfiguration linux)
      implements CriMessage {
    public static RuntimeConfigResponse read(Fields in) {
      return new RuntimeConfigResponse(in.message(1, "linux", LinuxRuntimeConfiguration::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, linux);
    }
  }

  /** The node's pod addresses, separated by commas. */
  public record NetworkConfig(String podCidr) implements CriMessage {
    public static NetworkConfig read(Fields in) {
      return new NetworkConfig(in.text(1, "pod_cidr"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, podCidr);
    }
  }

  /** What kubelet tells the runtime. */
  public record RuntimeConfig(@Nullable NetworkConfig networkConfig) implements CriMessage {
    public static RuntimeConfig read(Fields in) {
      return new RuntimeConfig(in.message(1, "network_config", NetworkConfig::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, networkConfig);
    }
  }

  /** Tells the runtime the node's pod addresses. */
  public record UpdateRuntimeConfigRequest(@Nullable RuntimeConfig runtimeConfig)
      implements CriMessage {
    public static UpdateRuntimeConfigRequest read(Fields in) {
      return new UpdateRuntimeConfigRequest(in.message(1, "runtime_config", RuntimeConfig::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, runtimeConfig);
    }
  }

  /** The answer of methods that return nothing. */
  public record EmptyResponse() implements CriMessage {
    public static EmptyResponse read(Fields in) {
      return new EmptyResponse();
    }

    @Override
    public void write(FieldWriter out) {}
  }
}

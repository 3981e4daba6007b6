package io.ocicat.cri.message;

import io.ocicat.cri.message.CommonMessages.LinuxContainerResources;
import io.ocicat.cri.message.ContainerConfigMessages.ContainerConfig;
import io.ocicat.cri.message.ContainerStatusMessages.Container;
import io.ocicat.cri.message.ContainerStatusMessages.ContainerState;
import io.ocicat.cri.message.ContainerStatusMessages.ContainerStatus;
import io.ocicat.cri.message.SandboxConfigMessages.PodSandboxConfig;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Requests about containers, and their answers. */
public final class ContainerMessages {
  private ContainerMessages() {}

  /** Asks for a new container of a sandbox. */
  public record CreateContainerRequest(
      String podSandboxId,
      @Nullable ContainerConfig config,
      @Nullable PodSandboxConfig sandboxConfig)
      implements CriMessage {
    public static CreateContainerRequest read(Fields in) {
      return new CreateContainerRequest(
          in.text(1, "pod_sandbox_id"),
          in.message(2, "config", ContainerConfig::read),
          in.message(3, "sandbox_config", PodSandboxConfig::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, podSandboxId).message(2, config).message(3, sandboxConfig);
    }
  }

  /** The id of the new container. */
  public record CreateContainerResponse(String containerId) implements CriMessage {
    public static CreateContainerResponse read(Fields in) {
      return new CreateContainerResponse(in.text(1, "container_id"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, containerId);
    }
  }

  /** Starts a created container. */
  public record StartContainerRequest(String containerId) implements CriMessage {
    public static StartContainerRequest read(Fields in) {
      return new StartContainerRequest(in.text(1, "container_id"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, containerId);
    }
  }

  /** Stops a container, by force after so many seconds. */
  public record StopContainerRequest(String containerId, long timeout) implements CriMessage {
    public static StopContainerRequest read(Fields in) {
      return new StopContainerRequest(in.text(1, "container_id"), in.number(2, "timeout"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, containerId).number(2, timeout);
    }
  }

  /** Removes a container, by force if it runs. */
  public record RemoveContainerRequest(String containerId) implements CriMessage {
    public static RemoveContainerRequest read(Fields in) {
      return new RemoveContainerRequest(in.text(1, "container_id"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, containerId);
    }
  }

  /** A state to filter by. */
  public record ContainerStateValue(ContainerState state) implements CriMessage {
    public static ContainerStateValue read(Fields in) {
      return new ContainerStateValue(in.choice(1, "state", ContainerState.values()));
    }

    @Override
    public void write(FieldWriter out) {
      out.choice(1, state);
    }
  }

  /** Which containers to list; all conditions must hold. */
  public record ContainerFilter(
      String id,
      @Nullable ContainerStateValue state,
      String podSandboxId,
      Map<String, String> labelSelector)
      implements CriMessage {
    public ContainerFilter {
      labelSelector = Map.copyOf(labelSelector);
    }

    public static ContainerFilter read(Fields in) {
      return new ContainerFilter(
          in.text(1, "id"),
          in.message(2, "state", ContainerStateValue::read),
          in.text(3, "pod_sandbox_id"),
          in.map(4, "label_selector"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, id).message(2, state).text(3, podSandboxId).map(4, labelSelector);
    }
  }

  /** Asks for all containers that match. */
  public record ListContainersRequest(@Nullable ContainerFilter filter) implements CriMessage {
    public static ListContainersRequest read(Fields in) {
      return new ListContainersRequest(in.message(1, "filter", ContainerFilter::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, filter);
    }
  }

  /** The containers that match. */
  public record ListContainersResponse(List<Container> containers) implements CriMessage {
    public ListContainersResponse {
      containers = List.copyOf(containers);
    }

    public static ListContainersResponse read(Fields in) {
      return new ListContainersResponse(in.messages(1, "containers", Container::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.messages(1, containers);
    }
  }

  /** Asks for the state of one container. */
  public record ContainerStatusRequest(String containerId, boolean verbose) implements CriMessage {
    public static ContainerStatusRequest read(Fields in) {
      return new ContainerStatusRequest(in.text(1, "container_id"), in.flag(2, "verbose"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, containerId).flag(2, verbose);
    }
  }

  /** The state of a container. */
  public record ContainerStatusResponse(@Nullable ContainerStatus status, Map<String, String> info)
      implements CriMessage {
    public ContainerStatusResponse {
      info = Map.copyOf(info);
    }

    public static ContainerStatusResponse read(Fields in) {
      return new ContainerStatusResponse(
          in.message(1, "status", ContainerStatus::read), in.map(2, "info"));
    }

    @Override
    public void write(FieldWriter out) {
      out.message(1, status).map(2, info);
    }
  }

  /** Changes the limits of a container. */
  public record UpdateContainerResourcesRequest(
      String containerId, @Nullable LinuxContainerResources linux, Map<String, String> annotations)
      implements CriMessage {
    public UpdateContainerResourcesRequest {
      annotations = Map.copyOf(annotations);
    }

    public static UpdateContainerResourcesRequest read(Fields in) {
      return new UpdateContainerResourcesRequest(
          in.text(1, "container_id"),
          in.message(2, "linux", LinuxContainerResources::read),
          in.map(4, "annotations"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, containerId).message(2, linux).map(4, annotations);
    }
  }

  /** Asks for a new log file, after the old one was renamed. */
  public record ReopenContainerLogRequest(String containerId) implements CriMessage {
    public static ReopenContainerLogRequest read(Fields in) {
      return new ReopenContainerLogRequest(in.text(1, "container_id"));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, containerId);
    }
  }
}

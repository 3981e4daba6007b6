package io.ocicat.cri.message;

import io.ocicat.cri.message.ContainerStatusMessages.ContainerStatus;
import io.ocicat.cri.message.SandboxMessages.PodSandboxStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The stream of changes. */
public final class EventMessages {
  private EventMessages() {}

  /** What happened to a container or sandbox. */
  public enum ContainerEventType {
    CONTAINER_CREATED_EVENT,
    CONTAINER_STARTED_EVENT,
    CONTAINER_STOPPED_EVENT,
    CONTAINER_DELETED_EVENT
  }

  /** Asks for all changes from now on. */
  public record GetEventsRequest() implements CriMessage {
    public static GetEventsRequest read(Fields in) {
      return new GetEventsRequest();
    }

    @Override
    public void write(FieldWriter out) {}
  }

  /** One change. */
  public record ContainerEventResponse(
      String containerId,
      ContainerEventType containerEventType,
      long createdAt,
      @Nullable PodSandboxStatus podSandboxStatus,
      List<ContainerStatus> containersStatuses)
      implements CriMessage {
    public ContainerEventResponse {
      containersStatuses = List.copyOf(containersStatuses);
    }

    public static ContainerEventResponse read(Fields in) {
      return new ContainerEventResponse(
          in.text(1, "container_id"),
          in.choice(2, "container_event_type", ContainerEventType.values()),
          in.number(3, "created_at"),
          in.message(4, "pod_sandbox_status", PodSandboxStatus::read),
          in.messages(5, "containers_statuses", ContainerStatus::read));
    }

    @Override
    public void write(FieldWriter out) {
      out.text(1, containerId)
          .choice(2, containerEventType)
          .number(3, createdAt)
          .message(4, podSandboxStatus)
          .messages(5, containersStatuses);
    }
  }
}

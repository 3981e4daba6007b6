package io.ocicat.cri.service;

import io.grpc.Status;
import io.ocicat.cri.grpc.RpcStream;
import io.ocicat.cri.message.EventMessages.ContainerEventResponse;
import io.ocicat.cri.message.EventMessages.ContainerEventType;
import io.ocicat.cri.message.EventMessages.GetEventsRequest;
import io.ocicat.cri.message.SandboxConfigMessages.PodSandboxMetadata;
import io.ocicat.cri.message.SandboxMessages.PodSandboxState;
import io.ocicat.cri.message.SandboxMessages.PodSandboxStatus;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.container.ContainerEvent;
import io.ocicat.sandbox.container.ContainerEvents;
import io.ocicat.sandbox.container.ContainerFilter;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Events, with the state of the pod that they concern. */
final class EventCalls {
  private static final Duration SLOWEST = Duration.ofSeconds(10);

  private final CriParts parts;

  EventCalls(CriParts parts) {
    this.parts = parts;
  }

  void follow(GetEventsRequest request, RpcStream stream) throws InterruptedException {
    try (ContainerEvents.Subscription events = parts.containers().events().subscribe()) {
      stream.whenGone(events::close);
      while (true) {
        Optional<ContainerEvent> event = events.next();
        if (event.isEmpty()) {
          break;
        }
        if (!stream.send(message(event.get()), SLOWEST)) {
          return;
        }
      }
    }
    if (!stream.isGone()) {
      throw Status.UNAVAILABLE
          .withDescription("the events ended: the client was too slow, or the server stops")
          .asRuntimeException();
    }
  }

  private ContainerEventResponse message(ContainerEvent event) {
    ContainerEventType type =
        switch (event.kind()) {
          case CREATED -> ContainerEventType.CONTAINER_CREATED_EVENT;
          case STARTED -> ContainerEventType.CONTAINER_STARTED_EVENT;
          case STOPPED -> ContainerEventType.CONTAINER_STOPPED_EVENT;
          case DELETED -> ContainerEventType.CONTAINER_DELETED_EVENT;
        };
    return new ContainerEventResponse(
        event.id(),
        type,
        event.createdAt(),
        sandbox(event.sandboxId()),
        parts.containers().list(ContainerFilter.ofSandbox(event.sandboxId())).stream()
            .map(ContainerReports::status)
            .toList());
  }

  /** Clients rely on it, also for a sandbox that is gone. */
  private PodSandboxStatus sandbox(String id) {
    try {
      return SandboxValues.status(parts.sandboxes().status(id));
    } catch (SandboxException _) {
      return new PodSandboxStatus(
          id,
          new PodSandboxMetadata("", "", "", 0),
          PodSandboxState.SANDBOX_NOTREADY,
          0,
          null,
          null,
          Map.of(),
          Map.of(),
          "");
    }
  }
}

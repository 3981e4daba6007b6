package io.ocicat.cri.service;

import io.ocicat.base.Quoted;
import io.ocicat.cri.message.ContainerConfigMessages;
import io.ocicat.cri.message.ContainerMessages.ContainerStatusRequest;
import io.ocicat.cri.message.ContainerMessages.ContainerStatusResponse;
import io.ocicat.cri.message.ContainerMessages.CreateContainerRequest;
import io.ocicat.cri.message.ContainerMessages.CreateContainerResponse;
import io.ocicat.cri.message.ContainerMessages.ListContainersRequest;
import io.ocicat.cri.message.ContainerMessages.ListContainersResponse;
import io.ocicat.cri.message.ContainerMessages.RemoveContainerRequest;
import io.ocicat.cri.message.ContainerMessages.ReopenContainerLogRequest;
import io.ocicat.cri.message.ContainerMessages.StartContainerRequest;
import io.ocicat.cri.message.ContainerMessages.StopContainerRequest;
import io.ocicat.cri.message.ContainerMessages.UpdateContainerResourcesRequest;
import io.ocicat.cri.message.RuntimeMessages.EmptyResponse;
import io.ocicat.cri.message.StatsMessages.ContainerStatsRequest;
import io.ocicat.cri.message.StatsMessages.ContainerStatsResponse;
import io.ocicat.cri.message.StatsMessages.ListContainerStatsRequest;
import io.ocicat.cri.message.StatsMessages.ListContainerStatsResponse;
import io.ocicat.image.Image;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.ContainerConfig;
import io.ocicat.sandbox.container.ContainerStatus;
import java.time.Duration;
import java.util.Map;

/** The life of containers. */
final class ContainerCalls {
  private static final long LONGEST_STOP_SECONDS = Duration.ofDays(365).toSeconds();

  private final CriParts parts;

  ContainerCalls(CriParts parts) {
    this.parts = parts;
  }

  CreateContainerResponse create(CreateContainerRequest request, byte[] bytes) {
    String sandboxId = Required.text("pod_sandbox_id", request.podSandboxId());
    ContainerConfigMessages.ContainerConfig message = Required.present("config", request.config());
    ContainerConfig config = ContainerValues.config(message);
    config.check();
    // A sandbox that does not exist is the better answer than an image that does not.
    parts.sandboxes().status(sandboxId);
    Image image =
        parts
            .images()
            .find(config.image())
            .orElseThrow(
                () ->
                    new SandboxException(
                        Reason.NOT_FOUND,
                        "image %s is not here: pull it first"
                            .formatted(Quoted.brief(config.image()))));
    if (config.command().isEmpty() && image.config().entrypoint().isEmpty()) {
      KernelLimits.command("config.args", config.args());
    }
    return new CreateContainerResponse(
        parts.sandboxes().createContainer(sandboxId, config, ContainerValues.image(image), bytes));
  }

  EmptyResponse start(StartContainerRequest request) {
    parts.containers().start(id(request.containerId()));
    return new EmptyResponse();
  }

  EmptyResponse stop(StopContainerRequest request) {
    parts
        .containers()
        .stop(
            id(request.containerId()),
            Duration.ofSeconds(Math.clamp(request.timeout(), 0, LONGEST_STOP_SECONDS)));
    return new EmptyResponse();
  }

  EmptyResponse remove(RemoveContainerRequest request) {
    parts.containers().remove(id(request.containerId()));
    return new EmptyResponse();
  }

  ListContainersResponse list(ListContainersRequest request) {
    return new ListContainersResponse(
        parts.containers().list(ContainerReports.filter(request.filter())).stream()
            .map(ContainerReports::listed)
            .toList());
  }

  ContainerStatusResponse status(ContainerStatusRequest request) {
    ContainerStatus container = parts.containers().status(id(request.containerId()));
    return new ContainerStatusResponse(
        ContainerReports.status(container),
        request.verbose() ? VerboseInfo.of(container) : Map.of());
  }

  EmptyResponse update(UpdateContainerResourcesRequest request) {
    parts.containers().update(id(request.containerId()), CommonValues.resources(request.linux()));
    return new EmptyResponse();
  }

  EmptyResponse reopenLog(ReopenContainerLogRequest request) {
    parts.containers().reopenLog(id(request.containerId()));
    return new EmptyResponse();
  }

  ContainerStatsResponse stats(ContainerStatsRequest request) {
    return new ContainerStatsResponse(
        ContainerReports.stats(parts.containers().usage(id(request.containerId())), mountPoint()));
  }

  ListContainerStatsResponse listStats(ListContainerStatsRequest request) {
    String mountPoint = mountPoint();
    return new ListContainerStatsResponse(
        parts.containers().usages(ContainerReports.filter(request.filter())).stream()
            .map(usage -> ContainerReports.stats(usage, mountPoint))
            .toList());
  }

  private String mountPoint() {
    return parts.images().usage().mountPoint().toString();
  }

  private static String id(String containerId) {
    return Required.text("container_id", containerId);
  }
}

package io.ocicat.cri.service;

import io.ocicat.cri.message.ContainerStatusMessages.ContainerStatus;
import io.ocicat.cri.message.RuntimeMessages.EmptyResponse;
import io.ocicat.cri.message.SandboxMessages.ListPodSandboxRequest;
import io.ocicat.cri.message.SandboxMessages.ListPodSandboxResponse;
import io.ocicat.cri.message.SandboxMessages.PodSandboxStatusRequest;
import io.ocicat.cri.message.SandboxMessages.PodSandboxStatusResponse;
import io.ocicat.cri.message.SandboxMessages.RemovePodSandboxRequest;
import io.ocicat.cri.message.SandboxMessages.RunPodSandboxRequest;
import io.ocicat.cri.message.SandboxMessages.RunPodSandboxResponse;
import io.ocicat.cri.message.SandboxMessages.StopPodSandboxRequest;
import io.ocicat.sandbox.container.ContainerFilter;
import io.ocicat.sandbox.pods.SandboxStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** The life of pod sandboxes. */
final class SandboxCalls {
  private final CriParts parts;

  SandboxCalls(CriParts parts) {
    this.parts = parts;
  }

  RunPodSandboxResponse run(RunPodSandboxRequest request, byte[] bytes) {
    return new RunPodSandboxResponse(
        parts
            .sandboxes()
            .run(
                SandboxValues.config(Required.present("config", request.config()), bytes),
                request.runtimeHandler()));
  }

  EmptyResponse stop(StopPodSandboxRequest request) {
    parts.sandboxes().stop(Required.text("pod_sandbox_id", request.podSandboxId()));
    return new EmptyResponse();
  }

  EmptyResponse remove(RemovePodSandboxRequest request) {
    parts.sandboxes().remove(Required.text("pod_sandbox_id", request.podSandboxId()));
    return new EmptyResponse();
  }

  PodSandboxStatusResponse status(PodSandboxStatusRequest request) {
    SandboxStatus sandbox =
        parts.sandboxes().status(Required.text("pod_sandbox_id", request.podSandboxId()));
    List<ContainerStatus> containers =
        parts.containers().list(ContainerFilter.ofSandbox(sandbox.id())).stream()
            .map(ContainerReports::status)
            .toList();
    return new PodSandboxStatusResponse(
        SandboxValues.status(sandbox),
        request.verbose() ? VerboseInfo.of(sandbox) : Map.of(),
        containers,
        nanos(parts.clock().instant()));
  }

  ListPodSandboxResponse list(ListPodSandboxRequest request) {
    return new ListPodSandboxResponse(
        parts.sandboxes().items(SandboxValues.filter(request.filter())).stream()
            .map(SandboxValues::listed)
            .toList());
  }

  static long nanos(Instant time) {
    return time.getEpochSecond() * 1_000_000_000 + time.getNano();
  }
}

package io.ocicat.cri;

import io.ocicat.cri.streaming.StreamingRequest;
import io.ocicat.cri.streaming.StreamingTarget;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.ContainerIo;
import io.ocicat.sandbox.container.Containers;
import io.ocicat.sandbox.pods.PodSandboxes;
import io.ocicat.sandbox.pods.SandboxState;
import io.ocicat.sandbox.pods.SandboxStatus;

/** Connects clients with the pods and containers of this machine. */
record PodStreams(PodSandboxes sandboxes, Containers containers) implements StreamingTarget {
  @Override
  public ContainerIo exec(StreamingRequest.Exec request) {
    return containers.exec(
        request.containerId(), request.command(), request.tty(), request.stdin());
  }

  @Override
  public ContainerIo attach(StreamingRequest.Attach request) {
    return containers.attach(request.containerId(), request.stdin());
  }

  @Override
  public String networkNamespace(String sandboxId) {
    SandboxStatus sandbox = sandboxes.status(sandboxId);
    if (sandbox.state() != SandboxState.READY) {
      throw new SandboxException(
          Reason.NOT_READY, "pod %s is not ready".formatted(sandbox.config().metadata().pod()));
    }
    return sandbox.netns();
  }
}

package io.ocicat.cri.streaming;

import io.ocicat.sandbox.container.ContainerIo;

/** What clients are connected with. Failures are a SandboxException. Thread-safe. */
public interface StreamingTarget {
  ContainerIo exec(StreamingRequest.Exec request);

  ContainerIo attach(StreamingRequest.Attach request);

  /** The path of the network namespace of a ready pod; empty for the host's. */
  String networkNamespace(String sandboxId);
}

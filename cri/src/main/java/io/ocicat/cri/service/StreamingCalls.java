package io.ocicat.cri.service;

import io.grpc.Status;
import io.ocicat.cri.message.StreamingMessages.AttachRequest;
import io.ocicat.cri.message.StreamingMessages.ExecRequest;
import io.ocicat.cri.message.StreamingMessages.ExecSyncRequest;
import io.ocicat.cri.message.StreamingMessages.ExecSyncResponse;
import io.ocicat.cri.message.StreamingMessages.PortForwardRequest;
import io.ocicat.cri.message.StreamingMessages.StreamingResponse;
import io.ocicat.cri.streaming.StreamingRequest;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.ContainerState;
import io.ocicat.sandbox.container.ContainerStatus;
import io.ocicat.sandbox.container.ExecResult;
import io.ocicat.sandbox.pods.SandboxState;
import io.ocicat.sandbox.pods.SandboxStatus;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/**
 * Programs in containers, and ports of pods. What needs a stream is checked here, and gets an
 * address where it is served.
 */
final class StreamingCalls {
  private static final long LONGEST_EXEC_SECONDS = Duration.ofDays(365).toSeconds();
  private static final int LAST_PORT = 65_535;

  private final CriParts parts;

  StreamingCalls(CriParts parts) {
    this.parts = parts;
  }

  ExecSyncResponse execSync(ExecSyncRequest request) {
    String id = Required.text("container_id", request.containerId());
    checkCommand(request.cmd());
    if (request.timeout() < 0) {
      throw Required.invalid("timeout is %d: it must not be negative".formatted(request.timeout()));
    }
    ExecResult result =
        parts
            .containers()
            .execSync(
                id,
                request.cmd(),
                Duration.ofSeconds(Math.min(request.timeout(), LONGEST_EXEC_SECONDS)));
    return new ExecSyncResponse(
        ByteBuffer.wrap(result.stdout()), ByteBuffer.wrap(result.stderr()), result.exitCode());
  }

  StreamingResponse exec(ExecRequest request) {
    String id = Required.text("container_id", request.containerId());
    checkCommand(request.cmd());
    checkStreams(request.tty(), request.stdin(), request.stdout(), request.stderr());
    ContainerStatus container = running(id);
    return address(
        new StreamingRequest.Exec(
            container.id(),
            request.cmd(),
            request.tty(),
            request.stdin(),
            request.stdout(),
            request.stderr()));
  }

  StreamingResponse attach(AttachRequest request) {
    String id = Required.text("container_id", request.containerId());
    checkStreams(request.tty(), request.stdin(), request.stdout(), request.stderr());
    ContainerStatus container = running(id);
    if (container.config().tty() != request.tty()) {
      throw Required.invalid(
          "tty is %b, but the container was created with tty %b"
              .formatted(request.tty(), container.config().tty()));
    }
    if (request.stdin() && !container.config().stdin()) {
      throw Required.invalid("stdin is asked for, but the container was created without it");
    }
    return address(
        new StreamingRequest.Attach(
            container.id(), request.tty(), request.stdin(), request.stdout(), request.stderr()));
  }

  StreamingResponse portForward(PortForwardRequest request) {
    for (long port : request.port()) {
      if (port < 1 || port > LAST_PORT) {
        throw Required.invalid("port %d must be 1–%d".formatted(port, LAST_PORT));
      }
    }
    SandboxStatus sandbox =
        parts.sandboxes().status(Required.text("pod_sandbox_id", request.podSandboxId()));
    if (sandbox.state() != SandboxState.READY) {
      throw new SandboxException(
          Reason.NOT_READY,
          "pod %s is not ready: nothing can be forwarded to it"
              .formatted(sandbox.config().metadata().pod()));
    }
    return address(
        new StreamingRequest.PortForward(
            sandbox.id(), request.port().stream().map(Long::intValue).toList()));
  }

  private ContainerStatus running(String id) {
    ContainerStatus container = parts.containers().status(id);
    if (container.state() != ContainerState.RUNNING) {
      throw new SandboxException(
          Reason.NOT_READY,
          "container %s is not running: it is %s"
              .formatted(container.config().metadata().name(), container.state()));
    }
    return container;
  }

  private static void checkCommand(List<String> command) {
    if (command.isEmpty()) {
      throw Required.invalid("cmd is missing");
    }
    KernelLimits.command("cmd", command);
  }

  private static void checkStreams(boolean tty, boolean stdin, boolean stdout, boolean stderr) {
    if (!stdin && !stdout && !stderr) {
      throw Required.invalid("one of stdin, stdout and stderr must be asked for");
    }
    if (tty && stderr) {
      throw Required.invalid("stderr cannot be asked for with tty: a terminal has one output");
    }
  }

  private StreamingResponse address(StreamingRequest request) {
    return new StreamingResponse(
        parts
            .addresses()
            .apply(request)
            .orElseThrow(
                () ->
                    Status.RESOURCE_EXHAUSTED
                        .withDescription(
                            "too many streams wait for their clients: try again in a minute")
                        .asRuntimeException()));
  }
}

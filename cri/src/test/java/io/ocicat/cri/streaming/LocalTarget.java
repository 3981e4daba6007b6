package io.ocicat.cri.streaming;

import io.ocicat.sandbox.container.ContainerIo;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A streaming server whose containers are this machine, and whose pods are any namespaces. */
final class LocalTarget implements StreamingTarget, AutoCloseable {
  final BlockingQueue<String> sizes = new LinkedBlockingQueue<>();
  final StreamingServer server;

  LocalTarget() {
    this(InstantSource.system());
  }

  LocalTarget(InstantSource clock) {
    server =
        StreamingServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), this, clock);
  }

  @Override
  public ContainerIo exec(StreamingRequest.Exec request) {
    return LocalProcess.start(request.command(), sizes);
  }

  @Override
  public ContainerIo attach(StreamingRequest.Attach request) {
    return LocalProcess.start(List.of("sh", "-c", "echo attached; cat"), sizes);
  }

  /** The id is the path. */
  @Override
  public String networkNamespace(String sandboxId) {
    return sandboxId.equals("host") ? "" : sandboxId;
  }

  URI exec(boolean tty, boolean stdin, boolean stderr, String... command) {
    return address(new StreamingRequest.Exec("c", List.of(command), tty, stdin, true, stderr));
  }

  URI exec(String shell) {
    return exec(false, true, true, "sh", "-c", shell);
  }

  URI address(StreamingRequest request) {
    Optional<String> address = server.address(request);
    return URI.create(address.orElseThrow());
  }

  @Override
  public void close() {
    server.close();
  }
}

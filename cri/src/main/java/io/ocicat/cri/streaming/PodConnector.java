package io.ocicat.cri.streaming;

import io.ocicat.netlink.ns.NetNs;
import io.ocicat.sandbox.SandboxException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Connects to what listens on loopback inside a pod. Thread-safe. */
final class PodConnector implements AutoCloseable {
  private static final int LIMIT_MILLIS = (int) Duration.ofSeconds(10).toMillis();
  private static final byte[] V4 = {127, 0, 0, 1};
  private static final byte[] V6 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

  private final StreamingTarget target;

  /** For pods of the host's network: the threads that ask may be elsewhere. */
  private final NetNs host = NetNs.current();

  PodConnector(StreamingTarget target) {
    this.target = target;
  }

  /** The socket is opened inside the pod's network namespace and can be used from anywhere. */
  Socket connect(String sandboxId, int port) throws IOException {
    String namespace;
    try {
      namespace = target.networkNamespace(sandboxId);
    } catch (SandboxException e) {
      throw new IOException(SandboxException.text(e), e);
    }
    if (namespace.isEmpty()) {
      return inside(host, port);
    }
    try (NetNs pod = NetNs.open(Path.of(namespace))) {
      return inside(pod, port);
    }
  }

  private static Socket inside(NetNs namespace, int port) throws IOException {
    try {
      return namespace.call(() -> open(port));
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  private static Socket open(int port) throws IOException {
    IOException first = null;
    for (byte[] address : List.of(V4, V6)) {
      Socket socket = new Socket();
      try {
        socket.connect(
            new InetSocketAddress(InetAddress.getByAddress(address), port), LIMIT_MILLIS);
        socket.setTcpNoDelay(true);
        return socket;
      } catch (IOException e) {
        socket.close();
        if (first == null) {
          first = e;
        }
      }
    }
    throw new IOException(
        "nothing accepts connections at port %d inside the pod: %s"
            .formatted(port, first == null ? "" : first.getMessage()),
        first);
  }

  @Override
  public void close() {
    host.close();
  }
}

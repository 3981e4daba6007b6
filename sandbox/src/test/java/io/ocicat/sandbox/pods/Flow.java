package io.ocicat.sandbox.pods;

import io.ocicat.netlink.ns.NetNs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A TCP connection between two pods, over which one of them sends as much as gets through. */
final class Flow implements AutoCloseable {
  private static final int PIECE = 256 * 1024;
  private static final int CONNECTED_WITHIN_MILLIS = 10_000;

  private final SocketChannel client;
  private final SocketChannel server;
  private final AtomicLong received = new AtomicLong();

  /**
   * Connects them; nothing flows yet.
   *
   * @param port the port that the server listens on
   * @param reachedAt the address that the client connects to
   */
  Flow(SandboxStatus client, SandboxStatus server, int port, InetSocketAddress reachedAt)
      throws IOException {
    try (ServerSocketChannel listening =
        in(server, () -> ServerSocketChannel.open(StandardProtocolFamily.INET))) {
      listening.bind(new InetSocketAddress(port));
      this.client = in(client, () -> SocketChannel.open(StandardProtocolFamily.INET));
      try {
        this.client.socket().connect(reachedAt, CONNECTED_WITHIN_MILLIS);
      } catch (IOException e) {
        this.client.close();
        throw e;
      }
      this.server = listening.accept();
    }
  }

  private interface Opening<T> {
    T open() throws IOException;
  }

  /** A socket stays where it was opened. */
  private static <T> T in(SandboxStatus pod, Opening<T> opening) {
    try (NetNs there = NetNs.open(Path.of(pod.netns()))) {
      return there.visit(
          () -> {
            try {
              return opening.open();
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }

  Flow fromClient() {
    return between(client, server);
  }

  Flow fromServer() {
    return between(server, client);
  }

  private Flow between(SocketChannel source, SocketChannel sink) {
    ByteBuffer sent = ByteBuffer.allocateDirect(PIECE);
    ByteBuffer read = ByteBuffer.allocateDirect(PIECE);
    untilClosed(() -> source.write(sent.clear()));
    untilClosed(() -> received.addAndGet(sink.read(read.clear())));
    return this;
  }

  private interface Step {
    void go() throws IOException;
  }

  private static void untilClosed(Step step) {
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              try {
                while (!Thread.currentThread().isInterrupted()) {
                  step.go();
                }
              } catch (ClosedChannelException _) {
                // The measurement is over.
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
  }

  /** Measures the Mbit/s that arrive during this time. */
  double rate(Duration time) throws InterruptedException {
    long start = System.nanoTime();
    long before = received.get();
    Thread.sleep(time);
    long bits = Byte.SIZE * (received.get() - before);
    return 1e3 * bits / (System.nanoTime() - start);
  }

  @Override
  public void close() throws IOException {
    client.close();
    server.close();
  }
}

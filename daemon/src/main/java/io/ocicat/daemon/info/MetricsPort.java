package io.ocicat.daemon.info;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.LockSupport;

/**
 * Serves the metrics at a port of 127.0.0.1, for a Prometheus that cannot read Unix sockets.
 * Everything that runs on the machine's own network can connect, so only metrics are served here:
 * they name no container. No client can keep others from being answered: each connection has a
 * thread and {@value #LIMIT_MILLIS} ms from beginning to end, for reading and writing; there are at
 * most {@value #MOST} of them, and the oldest is closed for one more, because a scrape takes a few
 * milliseconds.
 */
public final class MetricsPort implements AutoCloseable {
  private static final int LIMIT_MILLIS = 2_000;
  private static final int BACKLOG = 64;
  private static final int MOST = 16;

  /** How often connections are checked for their time limit. */
  private static final int CHECK_MILLIS = 500;

  private final ServerSocket listener;
  private final DaemonInfo info;

  /** The oldest first. */
  private final ConcurrentLinkedDeque<Client> clients = new ConcurrentLinkedDeque<>();

  private record Client(Socket socket, long deadlineNanos) {
    boolean isOver() {
      return System.nanoTime() - deadlineNanos > 0;
    }
  }

  private MetricsPort(ServerSocket listener, DaemonInfo info) {
    this.listener = listener;
    this.info = info;
  }

  /** Serves at a port, or at a free one for 0, until it is closed. */
  public static MetricsPort start(int port, DaemonInfo info) {
    try {
      InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
      ServerSocket listener = new ServerSocket();
      try {
        listener.setSoTimeout(CHECK_MILLIS);
        listener.bind(new InetSocketAddress(loopback, port), BACKLOG);
      } catch (IOException e) {
        listener.close();
        throw e;
      }
      MetricsPort server = new MetricsPort(listener, info);
      Thread.ofPlatform().name("metrics-port").daemon().start(server::serve);
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot serve metrics at 127.0.0.1:%d: %s".formatted(port, e.getMessage()), e);
    }
  }

  public int port() {
    return listener.getLocalPort();
  }

  private void serve() {
    while (!listener.isClosed()) {
      try {
        begin(listener.accept());
      } catch (SocketTimeoutException _) {
        closeExpired();
      } catch (IOException _) {
        // Closed, which the loop sees; or no descriptors, which must not turn this into a busy
        // loop.
        LockSupport.parkNanos(CHECK_MILLIS * 1_000_000L);
        closeExpired();
      }
    }
    clients.forEach(MetricsPort::end);
  }

  /** Closing is what ends a thread that waits in a write: Java has no timeout for that. */
  private void closeExpired() {
    clients.stream().filter(Client::isOver).forEach(MetricsPort::end);
  }

  private void begin(Socket socket) {
    closeExpired();
    while (clients.size() >= MOST) {
      Client oldest = clients.poll();
      if (oldest != null) {
        end(oldest);
      }
    }
    Client client = new Client(socket, System.nanoTime() + LIMIT_MILLIS * 1_000_000L);
    clients.add(client);
    Thread.ofPlatform().name("metrics-client").daemon().start(() -> serve(client));
  }

  private void serve(Client client) {
    try (Socket socket = client.socket()) {
      socket.setSoTimeout(LIMIT_MILLIS);
      socket.getOutputStream().write(answer(socket).bytes());
    } catch (IOException _) {
      // The client left, or its time was up.
      return;
    } finally {
      clients.remove(client);
    }
  }

  private static void end(Client client) {
    try {
      client.socket().close();
    } catch (IOException _) {
      // Its thread sees the same.
      return;
    }
  }

  private InfoReply answer(Socket client) throws IOException {
    try {
      InfoRequest question = receive(client);
      if (!question.path().equals("/metrics")) {
        throw new InfoReply.Refused(404, "only /metrics is served here; the info socket has more");
      }
      return InfoReply.metrics(info.metrics());
    } catch (InfoReply.Refused e) {
      return e.answer();
    } catch (RuntimeException e) {
      return new InfoReply.Refused(500, String.valueOf(e.getMessage())).answer();
    }
  }

  private static InfoRequest receive(Socket client) throws IOException {
    InputStream in = client.getInputStream();
    byte[] bytes = new byte[InfoRequest.MAX_BYTES];
    int length = 0;
    long deadline = System.nanoTime() + LIMIT_MILLIS * 1_000_000L;
    while (!InfoRequest.isComplete(bytes, length)) {
      if (length == bytes.length || System.nanoTime() - deadline > 0) {
        throw new InfoReply.Refused(431, "the request is too long or incomplete");
      }
      int more = in.read(bytes, length, bytes.length - length);
      if (more < 0) {
        throw new InfoReply.Refused(400, "the request ended in the middle");
      }
      length += more;
    }
    return InfoRequest.parse(bytes, length);
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot stop serving metrics", e);
    }
  }
}

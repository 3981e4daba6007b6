package io.ocicat.daemon.info;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * The metrics at a port of 127.0.0.1, for a Prometheus that cannot read Unix sockets. Everything
 * that runs on the machine's own network can connect, so nothing else is told here: metrics name no
 * container.
 */
public final class MetricsPort implements AutoCloseable {
  private static final int LIMIT_MILLIS = 2_000;
  private static final int BACKLOG = 16;

  private final ServerSocket listener;
  private final DaemonInfo info;

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
      try (Socket client = listener.accept()) {
        client.setSoTimeout(LIMIT_MILLIS);
        client.getOutputStream().write(answer(client).bytes());
      } catch (IOException _) {
        // The client left, or this was closed; the loop looks.
      }
    }
  }

  private Answer answer(Socket client) throws IOException {
    try {
      Question question = receive(client);
      if (!question.path().equals("/metrics")) {
        throw new Answer.Refused(404, "there is /metrics; the info socket tells more");
      }
      return Answer.metrics(info.metrics());
    } catch (Answer.Refused e) {
      return e.answer();
    } catch (RuntimeException e) {
      return new Answer.Refused(500, String.valueOf(e.getMessage())).answer();
    }
  }

  private static Question receive(Socket client) throws IOException {
    InputStream in = client.getInputStream();
    byte[] bytes = new byte[Question.MAX_BYTES];
    int length = 0;
    long deadline = System.nanoTime() + LIMIT_MILLIS * 1_000_000L;
    while (!Question.isComplete(bytes, length)) {
      if (length == bytes.length || System.nanoTime() - deadline > 0) {
        throw new Answer.Refused(431, "a request is short and comes at once");
      }
      int more = in.read(bytes, length, bytes.length - length);
      if (more < 0) {
        throw new Answer.Refused(400, "the request ended in the middle");
      }
      length += more;
    }
    return Question.parse(bytes, length);
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

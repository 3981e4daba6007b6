package io.ocicat.cri.streaming;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Serves exec, attach and port-forward on loopback, to whoever has a token of {@link #address}.
 * kubelet fetches the token over the Unix socket and relays its client's connection.
 */
public final class StreamingServer implements AutoCloseable {
  private static final Duration LIFE = Duration.ofMinutes(1);
  private static final int MOST_PENDING = 1000;
  private static final int MOST_CONNECTIONS = 512;
  private static final int BACKLOG = 128;

  private final ServerSocket listener;
  private final StreamingTokens tokens;
  private final StreamingTarget target;
  private final PodConnector pods;
  private final Set<Socket> connections = ConcurrentHashMap.newKeySet();

  private StreamingServer(
      ServerSocket listener, StreamingTokens tokens, StreamingTarget target, PodConnector pods) {
    this.listener = listener;
    this.tokens = tokens;
    this.target = target;
    this.pods = pods;
  }

  /**
   * Listens.
   *
   * @param address on loopback; port 0 for any
   */
  public static StreamingServer start(
      InetSocketAddress address, StreamingTarget target, InstantSource clock) {
    if (address.getAddress() == null || !address.getAddress().isLoopbackAddress()) {
      throw new IllegalArgumentException("streams are served on loopback only, not at " + address);
    }
    ServerSocket listener;
    try {
      listener = new ServerSocket();
      listener.setReuseAddress(true);
      listener.bind(address, BACKLOG);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot listen at %s: %s".formatted(address, e.getMessage()), e);
    }
    StreamingServer server =
        new StreamingServer(
            listener,
            new StreamingTokens(clock, LIFE, MOST_PENDING),
            target,
            new PodConnector(target));
    Thread.ofPlatform().daemon().name("cri-streaming").start(server::accept);
    return server;
  }

  /** Where the request is served, once and within a minute; empty when too many wait. */
  public Optional<String> address(StreamingRequest request) {
    return tokens
        .add(request)
        .map(
            token ->
                "http://%s:%d/%s/%s"
                    .formatted(text(), listener.getLocalPort(), request.path(), token));
  }

  private String text() {
    String host = listener.getInetAddress().getHostAddress();
    return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
  }

  public InetSocketAddress listening() {
    return new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        if (connections.size() >= MOST_CONNECTIONS) {
          socket.close();
          continue;
        }
        connections.add(socket);
        Thread.ofVirtual().name("cri-connection").start(() -> serve(socket));
      } catch (IOException e) {
        if (!listener.isClosed()) {
          pause();
        }
      }
    }
  }

  /** As when descriptors have run out: others will be closed. */
  private static void pause() {
    try {
      Thread.sleep(Duration.ofMillis(100));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      socket.setKeepAlive(true);
      new StreamingConnection(socket, tokens, target, pods).serve();
    } catch (IOException _) {
      // The client has gone or does not speak the protocol; there is nobody to tell.
    } finally {
      connections.remove(socket);
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : connections) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      pods.close();
    }
  }
}

package io.ocicat.plugins;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.Optional;
import java.util.concurrent.Callable;

/** TCP between test hosts. Servers answer with their name and the address that they see. */
public final class Tcp {
  private static final int TIMEOUT_MILLIS = 5_000;

  /** For connections that may fail: a lost SYN is sent again after a second. */
  private static final int DOUBTFUL_MILLIS = 2_500;

  private Tcp() {}

  /** Answers on all addresses of a host until it is closed. */
  public static ServerSocket serve(Host host, int port, String name) {
    return serve(host, "::", port, name);
  }

  public static ServerSocket serve(Host host, String address, int port, String name) {
    ServerSocket server = inside(host, () -> new ServerSocket(port, 50, inet(address)));
    Thread.ofPlatform().daemon().start(() -> answer(server, name));
    return server;
  }

  private static void answer(ServerSocket server, String name) {
    try {
      while (true) {
        try (Socket client = server.accept()) {
          IpAddress seen = IpAddress.ofBytes(client.getInetAddress().getAddress()).unmap();
          client.getOutputStream().write((name + " sees " + seen).getBytes(UTF_8));
        }
      }
    } catch (SocketException _) {
      // Closed: the test is over.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The reply of the server there, for instance {@code web sees 10.2.0.2}, or that there is none.
   */
  public static String ask(Host client, String address, int port) {
    return attempt(client, address, port, DOUBTFUL_MILLIS).orElse("no answer");
  }

  /** The client address that the server there sees; there must be a server. */
  public static String seenAs(Host client, String address, int port) {
    return attempt(client, address, port, TIMEOUT_MILLIS)
        .orElseThrow(() -> new AssertionError("no answer from %s:%d".formatted(address, port)))
        .replaceFirst(".* sees ", "");
  }

  private static Optional<String> attempt(Host client, String address, int port, int millis) {
    return inside(
        client,
        () -> {
          try (Socket socket = new Socket()) {
            socket.setSoTimeout(millis);
            socket.connect(new InetSocketAddress(inet(address), port), millis);
            return Optional.of(new String(socket.getInputStream().readAllBytes(), UTF_8));
          } catch (IOException _) {
            return Optional.empty();
          }
        });
  }

  public static InetAddress inet(String address) throws IOException {
    return InetAddress.getByAddress(IpAddress.parse(address).toByteArray());
  }

  private static <T> T inside(Host host, Callable<T> code) {
    try (NetNs namespace = NetNs.open(host.path())) {
      return namespace.call(code);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}

package io.ocicat.plugins;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.Callable;

/** Connections between test hosts. */
public final class Tcp {
  private static final int PATIENCE_MILLIS = 5000;

  private Tcp() {}

  /** Tells each client which address it seems to have, until closed. */
  public static ServerSocket serve(Host host, int port) {
    ServerSocket server = inside(host, () -> new ServerSocket(port));
    Thread.ofPlatform().daemon().start(() -> answer(server));
    return server;
  }

  private static void answer(ServerSocket server) {
    try {
      while (true) {
        try (Socket client = server.accept()) {
          client.getOutputStream().write(client.getInetAddress().getHostAddress().getBytes(UTF_8));
        }
      }
    } catch (SocketException _) {
      // Closed: the test is over.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The address that the server at the other end sees. */
  public static InetAddress seenAs(Host client, String address, int port) {
    return inside(
        client,
        () -> {
          try (Socket socket = new Socket()) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.connect(
                new InetSocketAddress(InetAddress.getByName(address), port), PATIENCE_MILLIS);
            return InetAddress.getByName(new String(socket.getInputStream().readAllBytes(), UTF_8));
          }
        });
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

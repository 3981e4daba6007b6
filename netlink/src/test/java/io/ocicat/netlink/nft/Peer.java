package io.ocicat.netlink.nft;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.concurrent.Callable;

/** TCP from and to a test host: servers that send clients the address they see. */
final class Peer {
  /** For connections that should fail. */
  private static final int HOPELESS_MILLIS = 500;

  private static final int TIMEOUT_MILLIS = 5000;

  private Peer() {}

  /** Answers connections until it is closed. */
  static ServerSocket serve(Host host, int port) {
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

  /** The address the server at the other end sees. */
  static String seenAs(Host client, String address, int port) {
    return inside(
        client,
        () -> {
          try (Socket socket = new Socket()) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.connect(
                new InetSocketAddress(InetAddress.getByName(address), port), TIMEOUT_MILLIS);
            return new String(socket.getInputStream().readAllBytes(), UTF_8);
          }
        });
  }

  /** Whether the server at the other end can be reached at once; what is dropped takes longer. */
  static boolean reaches(Host client, String address, int port) {
    return inside(
        client,
        () -> {
          try (Socket socket = new Socket()) {
            socket.connect(
                new InetSocketAddress(InetAddress.getByName(address), port), HOPELESS_MILLIS);
            return true;
          } catch (ConnectException | SocketTimeoutException _) {
            return false;
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

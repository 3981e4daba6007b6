package io.ocicat.cli.connectivity;

import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends back what arrives on TCP connections, in any number of network namespaces, until closed:
 * the other side of {@link TcpProbe}. Whoever connects can only hear itself.
 */
final class TcpResponders implements AutoCloseable {
  private final List<ServerSocketChannel> listeners = new ArrayList<>();

  /**
   * Listens in a namespace.
   *
   * @return whether it does; not when the port is taken, or the namespace is gone
   */
  boolean listen(Path netns, int port) {
    try (NetNs namespace = NetNs.open(netns)) {
      ServerSocketChannel listener = namespace.visit(() -> open(port));
      listeners.add(listener);
      Thread.startVirtualThread(() -> accept(listener));
      return true;
    } catch (NetlinkException | UncheckedIOException _) {
      return false;
    }
  }

  private static ServerSocketChannel open(int port) {
    try {
      ServerSocketChannel listener = ServerSocketChannel.open();
      try {
        return listener.bind(new InetSocketAddress(port));
      } catch (IOException e) {
        listener.close();
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void accept(ServerSocketChannel listener) {
    try {
      while (true) {
        SocketChannel connection = listener.accept();
        Thread.startVirtualThread(() -> echo(connection));
      }
    } catch (IOException _) {
      // Closed.
    }
  }

  private static void echo(SocketChannel connection) {
    ByteBuffer buffer = ByteBuffer.allocate(TcpProbe.CHUNK);
    try (connection) {
      while (connection.read(buffer) >= 0) {
        buffer.flip();
        while (buffer.hasRemaining()) {
          connection.write(buffer);
        }
        buffer.clear();
      }
    } catch (IOException _) {
      // The other side has gone.
    }
  }

  @Override
  public void close() {
    for (ServerSocketChannel listener : listeners) {
      try {
        listener.close();
      } catch (IOException _) {
        // It ends with the process.
      }
    }
  }
}

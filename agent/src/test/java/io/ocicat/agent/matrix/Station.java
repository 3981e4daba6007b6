package io.ocicat.agent.matrix;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.ns.NetNs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * The sockets of one place: what serves TCP and UDP on ports 80 and 81, and raw ones for SCTP and
 * ICMP. For one thread.
 */
final class Station implements AutoCloseable {
  private static final int LONGEST = 64;

  final Actor actor;
  final RawSocket sctp4;
  final RawSocket sctp6;
  final RawSocket icmp4;
  final RawSocket icmp6;
  private final NetNs namespace;
  private final List<AutoCloseable> open = new ArrayList<>();

  Station(Actor actor, Path path, Selector selector) {
    this.actor = actor;
    this.namespace = NetNs.open(path);
    this.sctp4 = raw(actor.v4(), Messages.SCTP);
    this.sctp6 = raw(actor.v6(), Messages.SCTP);
    this.icmp4 = raw(actor.v4(), Messages.ICMP);
    this.icmp6 = raw(actor.v6(), Messages.ICMPV6);
    for (IpAddress own : List.of(actor.v4(), actor.v6())) {
      for (int port : new int[] {Service.TCP_80.port(), Service.TCP_81.port()}) {
        serveTcp(own, port, selector);
        serveUdp(own, port, selector);
      }
    }
  }

  List<RawListener> listeners() {
    return List.of(
        new RawListener(actor, sctp4, Messages.SCTP),
        new RawListener(actor, sctp6, Messages.SCTP),
        new RawListener(actor, icmp4, Messages.ICMP),
        new RawListener(actor, icmp6, Messages.ICMPV6));
  }

  private RawSocket raw(IpAddress own, int protocol) {
    RawSocket socket = new RawSocket(namespace, own, protocol);
    open.add(socket);
    return socket;
  }

  private void serveTcp(IpAddress own, int port, Selector selector) {
    ServerSocketChannel server = inside(() -> ServerSocketChannel.open(family(own)));
    open.add(server);
    io(
        () -> {
          server.bind(socketAddress(own, port));
          return register(server, selector, SelectionKey.OP_ACCEPT, () -> accept(server));
        });
  }

  /** The connection exists, which is all that is asked; the client ends it by a reset. */
  private static void accept(ServerSocketChannel server) throws IOException {
    SocketChannel accepted = server.accept();
    if (accepted != null) {
      accepted.close();
    }
  }

  /** Closes without leaving state behind. */
  static void reset(SocketChannel channel) throws IOException {
    channel.setOption(StandardSocketOptions.SO_LINGER, 0);
    channel.close();
  }

  private void serveUdp(IpAddress own, int port, Selector selector) {
    DatagramChannel server = udp(own, port);
    open.add(server);
    ByteBuffer buffer = ByteBuffer.allocate(LONGEST);
    io(
        () ->
            register(
                server,
                selector,
                SelectionKey.OP_READ,
                () -> {
                  while (server.receive(buffer.clear()) instanceof InetSocketAddress from) {
                    server.send(buffer.flip(), from);
                  }
                }));
  }

  DatagramChannel udp(IpAddress own, int port) {
    return bound(inside(() -> DatagramChannel.open(family(own))), own, port);
  }

  /** A socket from each of these addresses, all from one port. */
  List<SocketChannel> tcp(List<IpAddress> addresses, int port) {
    return inside(
        () -> {
          List<SocketChannel> channels = new ArrayList<>();
          for (IpAddress own : addresses) {
            channels.add(bound(SocketChannel.open(family(own)), own, port));
          }
          return channels;
        });
  }

  private static <T extends NetworkChannel> T bound(T channel, IpAddress own, int port) {
    return io(
        () -> {
          channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
          channel.bind(socketAddress(own, port));
          return channel;
        });
  }

  /** What is done when a channel is ready. */
  interface Reaction {
    void run() throws IOException;
  }

  static SelectionKey register(
      SelectableChannel channel, Selector selector, int interest, Reaction reaction)
      throws IOException {
    channel.configureBlocking(false);
    return channel.register(selector, interest, reaction);
  }

  private <T> T inside(Callable<T> opening) {
    return namespace.visit(() -> io(opening));
  }

  static StandardProtocolFamily family(IpAddress address) {
    return address.isV4() ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6;
  }

  static InetSocketAddress socketAddress(IpAddress address, int port) {
    try {
      return new InetSocketAddress(InetAddress.getByAddress(address.toByteArray()), port);
    } catch (UnknownHostException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static <T> T io(Callable<T> action) {
    try {
      return action.call();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    for (AutoCloseable each : open) {
      io(
          () -> {
            each.close();
            return each;
          });
    }
    namespace.close();
  }
}

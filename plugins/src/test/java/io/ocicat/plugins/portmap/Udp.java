package io.ocicat.plugins.portmap;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.plugins.Tcp;
import io.ocicat.testkit.Host;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/** A UDP socket in a test's host, which keeps its port. */
final class Udp implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 5_000;
  private static final int HOPELESS_MILLIS = 300;

  private final DatagramChannel channel;

  private Udp(DatagramChannel channel) {
    this.channel = channel;
  }

  static Udp bind(Host host, String address, int port) {
    StandardProtocolFamily family =
        IpAddress.parse(address).isV4()
            ? StandardProtocolFamily.INET
            : StandardProtocolFamily.INET6;
    try (NetNs namespace = NetNs.open(host.path())) {
      DatagramChannel channel = namespace.visit(() -> io(() -> DatagramChannel.open(family)));
      io(() -> channel.bind(new InetSocketAddress(Tcp.inet(address), port)));
      return new Udp(channel);
    }
  }

  void send(String text, String address, int port) {
    io(
        () ->
            channel.send(
                ByteBuffer.wrap(text.getBytes(UTF_8)),
                new InetSocketAddress(Tcp.inet(address), port)));
  }

  /** Waits for a packet, sends it back, and returns its text. */
  String echo() {
    return io(
        () -> {
          DatagramPacket packet = receive(PATIENCE_MILLIS);
          channel.socket().send(packet);
          return text(packet);
        });
  }

  /** Waits for a packet. */
  String receive() {
    return io(() -> text(receive(PATIENCE_MILLIS)));
  }

  /** Nothing comes for a while. */
  boolean isSilent() {
    return io(
        () -> {
          try {
            receive(HOPELESS_MILLIS);
            return false;
          } catch (SocketTimeoutException _) {
            return true;
          }
        });
  }

  private DatagramPacket receive(int millis) throws IOException {
    channel.socket().setSoTimeout(millis);
    DatagramPacket packet = new DatagramPacket(new byte[100], 100);
    channel.socket().receive(packet);
    return packet;
  }

  private static String text(DatagramPacket packet) {
    return new String(packet.getData(), 0, packet.getLength(), UTF_8);
  }

  @Override
  public void close() {
    io(
        () -> {
          channel.close();
          return channel;
        });
  }

  private interface Action<T> {
    T run() throws IOException;
  }

  private static <T> T io(Action<T> action) {
    try {
      return action.run();
    } catch (SocketTimeoutException e) {
      throw new AssertionError("no packet came within " + PATIENCE_MILLIS + " ms", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package io.ocicat.netlink.conntrack;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.ns.NetNs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;

/** A UDP socket in a test's host. */
final class Udp implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 5_000;

  private final DatagramChannel channel;

  private Udp(DatagramChannel channel) {
    this.channel = channel;
  }

  static Udp bind(NetNs namespace, String address, int port) {
    IpAddress ip = IpAddress.parse(address);
    DatagramChannel channel =
        namespace.visit(
            () ->
                io(
                    () ->
                        DatagramChannel.open(
                            ip.isV4()
                                ? StandardProtocolFamily.INET
                                : StandardProtocolFamily.INET6)));
    io(() -> channel.bind(endpoint(address, port)));
    return new Udp(channel);
  }

  int port() {
    return io(() -> ((InetSocketAddress) channel.getLocalAddress()).getPort());
  }

  void send(String text, String address, int port) {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    io(() -> channel.send(bytes, endpoint(address, port)));
  }

  /** Waits for a packet, sends it back, and returns its text. */
  String echo() {
    return io(
        () -> {
          channel.socket().setSoTimeout(PATIENCE_MILLIS);
          byte[] bytes = new byte[100];
          DatagramPacket packet = new DatagramPacket(bytes, bytes.length);
          channel.socket().receive(packet);
          channel.socket().send(packet);
          return new String(bytes, 0, packet.getLength(), StandardCharsets.UTF_8);
        });
  }

  private static InetSocketAddress endpoint(String address, int port) throws IOException {
    return new InetSocketAddress(
        InetAddress.getByAddress(IpAddress.parse(address).toByteArray()), port);
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

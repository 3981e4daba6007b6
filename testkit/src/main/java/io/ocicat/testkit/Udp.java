package io.ocicat.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.function.Supplier;

/** A UDP socket in a test's host, which keeps its port. */
public final class Udp implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 5_000;
  private static final int HOPELESS_MILLIS = 300;
  private static final int LONGEST = 100;

  private final DatagramChannel channel;

  private Udp(DatagramChannel channel) {
    this.channel = channel;
  }

  /** Opens a socket inside a host, where it stays: nothing here can enter a namespace. */
  public interface Place {
    DatagramChannel open(Supplier<DatagramChannel> opening);
  }

  /** A socket with that address; port 0 is any. */
  public static Udp bind(Place place, String address, int port) {
    InetSocketAddress local = endpoint(address, port);
    StandardProtocolFamily family =
        local.getAddress() instanceof Inet4Address
            ? StandardProtocolFamily.INET
            : StandardProtocolFamily.INET6;
    DatagramChannel channel = place.open(() -> io(() -> DatagramChannel.open(family)));
    io(() -> channel.bind(local));
    return new Udp(channel);
  }

  private static InetSocketAddress endpoint(String address, int port) {
    return new InetSocketAddress(InetAddress.ofLiteral(address), port);
  }

  public int port() {
    return io(() -> ((InetSocketAddress) channel.getLocalAddress()).getPort());
  }

  public void send(String text, String address, int port) {
    io(() -> channel.send(ByteBuffer.wrap(text.getBytes(UTF_8)), endpoint(address, port)));
  }

  /** Waits for a packet, sends it back, and returns its text. */
  public String echo() {
    return io(
        () -> {
          DatagramPacket packet = receive(TIMEOUT_MILLIS);
          channel.socket().send(packet);
          return text(packet);
        });
  }

  /** Waits for a packet. */
  public String receive() {
    return io(() -> text(receive(TIMEOUT_MILLIS)));
  }

  /** Checks that nothing arrives for a while. */
  public boolean isSilent() {
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
    DatagramPacket packet = new DatagramPacket(new byte[LONGEST], LONGEST);
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
      throw new AssertionError("no packet came within " + TIMEOUT_MILLIS + " ms", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

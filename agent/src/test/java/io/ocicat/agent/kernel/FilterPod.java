package io.ocicat.agent.kernel;

import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.LockSupport;

/** A pod of a {@link FilterNode}, or another host next to it, and packets that it sends. */
record FilterPod(Host host, int number) {
  private static final long DENIED_NANOS = 60_000_000;
  private static final long ALLOWED_NANOS = 3_000_000_000L;
  private static final long PAUSE_NANOS = 500_000;

  static FilterPod connect(FilterNode node, Host host, int number) {
    FilterPod pod = new FilterPod(host, number);
    node.host.exec(
        "sh",
        "-c",
        """
        set -e
        ip link add %1$s type veth peer name eth0 netns %2$s
        ip addr add 169.254.1.1/32 dev %1$s
        echo 0 > /proc/sys/net/ipv6/conf/%1$s/accept_dad
        ip addr add fe80::1/64 dev %1$s nodad
        ip link set %1$s up
        ip route add %3$s dev %1$s
        ip route add %4$s dev %1$s
        """
            .formatted(pod.link(), host.name(), pod.v4(), pod.v6()));
    host.exec(
        "sh",
        "-c",
        """
        set -e
        echo 0 > /proc/sys/net/ipv6/conf/eth0/accept_dad
        ip link set eth0 up
        ip addr add %s/32 dev eth0
        ip addr add %s/128 dev eth0 nodad
        ip route add 169.254.1.1 dev eth0 scope link
        ip route add default via 169.254.1.1
        ip route add default via fe80::1 dev eth0
        """
            .formatted(pod.v4(), pod.v6()));
    return pod;
  }

  String link() {
    return "cali" + number;
  }

  String v4() {
    return "10.65.0." + number;
  }

  String v6() {
    return "fd00:65::" + number;
  }

  /** Whether a datagram arrives, from any port. */
  boolean udp(FilterPod to, String address, int port) {
    return udp(to, address, port, 0, true);
  }

  /** The same where none should: it waits only briefly. */
  boolean udpDenied(FilterPod to, String address, int port) {
    return !udp(to, address, port, 0, false);
  }

  boolean udp(FilterPod to, String address, int port, int sourcePort, boolean expected) {
    InetSocketAddress target = new InetSocketAddress(InetAddress.ofLiteral(address), port);
    return udp(to, target, target, sourcePort, expected);
  }

  /** Whether a datagram to another address arrives at this one. */
  boolean udp(
      FilterPod to, String address, int port, String sentTo, int sentPort, boolean expected) {
    return udp(
        to,
        new InetSocketAddress(InetAddress.ofLiteral(address), port),
        new InetSocketAddress(InetAddress.ofLiteral(sentTo), sentPort),
        0,
        expected);
  }

  private boolean udp(
      FilterPod to,
      InetSocketAddress receiving,
      InetSocketAddress target,
      int sourcePort,
      boolean expected) {
    try (DatagramChannel receiver = to.inside(FilterPod::datagrams);
        DatagramChannel sender = inside(FilterPod::datagrams)) {
      receiver.bind(receiving);
      receiver.configureBlocking(false);
      if (sourcePort != 0) {
        sender.bind(new InetSocketAddress(sourcePort));
      }
      try {
        sender.send(ByteBuffer.wrap(new byte[] {1}), target);
      } catch (IOException _) {
        return false; // what leaves this host is denied with an error
      }
      return isReceived(receiver, expected ? ALLOWED_NANOS : DENIED_NANOS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean tcp(FilterPod to, String address, int port) {
    return tcp(to, address, port, true);
  }

  boolean tcpDenied(FilterPod to, String address, int port) {
    return !tcp(to, address, port, false);
  }

  private boolean tcp(FilterPod to, String address, int port, boolean expected) {
    InetSocketAddress target = new InetSocketAddress(InetAddress.ofLiteral(address), port);
    try (ServerSocketChannel server = to.inside(FilterPod::listener);
        SocketChannel client = inside(FilterPod::stream)) {
      server.bind(target);
      client
          .socket()
          .connect(target, (int) ((expected ? ALLOWED_NANOS : DENIED_NANOS) / 1_000_000));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  boolean ping(String address) {
    return host.tryExec("ping", "-c1", "-W2", "-q", address).exitCode() == 0;
  }

  boolean pingDenied(String address) {
    return host.tryExec("ping", "-c1", "-W0.1", "-q", address).exitCode() != 0;
  }

  boolean pingDeniedFrom(String source, String address) {
    return host.tryExec("ping", "-c1", "-W0.1", "-q", "-I", source, address).exitCode() != 0;
  }

  /** Whether a datagram from another address of this host arrives. */
  boolean spoofed(String source, FilterPod to, String address) {
    try (DatagramChannel receiver = to.inside(FilterPod::datagrams);
        DatagramChannel sender = inside(FilterPod::datagrams)) {
      receiver.bind(new InetSocketAddress(InetAddress.ofLiteral(address), 99));
      receiver.configureBlocking(false);
      sender.bind(new InetSocketAddress(InetAddress.ofLiteral(source), 0));
      sender.send(
          ByteBuffer.wrap(new byte[] {1}),
          new InetSocketAddress(InetAddress.ofLiteral(address), 99));
      return isReceived(receiver, ALLOWED_NANOS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isReceived(DatagramChannel receiver, long nanos) throws IOException {
    long deadline = System.nanoTime() + nanos;
    while (System.nanoTime() < deadline) {
      if (receiver.receive(ByteBuffer.allocate(1)) != null) {
        return true;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return false;
  }

  private interface Opening<T> {
    T open() throws IOException;
  }

  private static DatagramChannel datagrams() throws IOException {
    return DatagramChannel.open(StandardProtocolFamily.INET6);
  }

  private static ServerSocketChannel listener() throws IOException {
    return ServerSocketChannel.open(StandardProtocolFamily.INET6);
  }

  private static SocketChannel stream() throws IOException {
    return SocketChannel.open(StandardProtocolFamily.INET6);
  }

  private <T> T inside(Opening<T> opening) {
    try (NetNs namespace = NetNs.open(host.path())) {
      return namespace.visit(
          () -> {
            try {
              return opening.open();
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }
}

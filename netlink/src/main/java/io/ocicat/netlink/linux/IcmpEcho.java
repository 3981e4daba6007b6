package io.ocicat.netlink.linux;

import static io.ocicat.netlink.linux.NetlinkException.check;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.ocicat.ip.IpAddress;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * One ICMP echo request and its reply (RFC 792, RFC 4443), for machines that have no ping(8). Needs
 * CAP_NET_RAW in the network namespace that the calling thread is in.
 */
public final class IcmpEcho {
  private static final int AF_INET = 2;
  private static final int AF_INET6 = 10;
  private static final int SOCK_RAW = 3;
  private static final int IPPROTO_ICMP = 1;
  private static final int IPPROTO_ICMPV6 = 58;
  private static final int SOCKADDR_IN = 16;
  private static final int SOCKADDR_IN6 = 28;

  private static final int REPLY_V4 = 0;
  private static final int REQUEST_V4 = 8;
  private static final int REQUEST_V6 = 128;
  private static final int REPLY_V6 = 129;
  private static final int CHECKSUM = 2;
  private static final int IDENTIFIER = 4;
  private static final int LENGTH = 32;
  private static final int HEADER_V4 = 20;
  private static final int LONGEST_HEADER_V4 = 60;
  private static final int HEADER_V6 = 40;
  private static final int IPPROTO_IP = 0;
  private static final int IPPROTO_IPV6 = 41;
  private static final int IP_MTU_DISCOVER = 10;
  private static final int IPV6_MTU_DISCOVER = 23;

  /** Never fragmented, and whatever an earlier packet has found out is ignored. */
  private static final int PMTUDISC_PROBE = 3;

  /** The smallest packet that {@link #sendWhole} can send, of either version. */
  public static final int SMALLEST = HEADER_V6 + LENGTH;

  private IcmpEcho() {}

  /** Returns the round-trip time; empty when no reply came in time. */
  public static Optional<Duration> send(IpAddress to, Duration limit) {
    return exchange(to, LENGTH, false, limit);
  }

  /**
   * Sends a packet that nobody on its way may fragment. Its reply may be fragmented.
   *
   * @param size of the whole IP packet in bytes, at least {@link #SMALLEST}
   * @return the round-trip time; empty when no reply came in time, as when the packet was too large
   *     for a link on its way
   * @throws NetlinkException with EMSGSIZE when it is too large for the first link
   */
  public static Optional<Duration> sendWhole(IpAddress to, int size, Duration limit) {
    if (size < SMALLEST) {
      throw new IllegalArgumentException("a packet of %d bytes is too small".formatted(size));
    }
    return exchange(to, size - (to.isV4() ? HEADER_V4 : HEADER_V6), true, limit);
  }

  private static Optional<Duration> exchange(
      IpAddress to, int messageLength, boolean whole, Duration limit) {
    int family = to.isV4() ? AF_INET : AF_INET6;
    int protocol = to.isV4() ? IPPROTO_ICMP : IPPROTO_ICMPV6;
    try (Fd socket =
            Fd.owning(
                check(
                    Kernel.call(
                        Syscall.SOCKET, family, SOCK_RAW | SocketCalls.SOCK_CLOEXEC, protocol),
                    () -> "open a raw ICMP socket"));
        Arena arena = Arena.ofConfined()) {
      if (whole) {
        neverFragment(arena, socket, to.isV4());
      }
      MemorySegment address = address(arena, to, family);
      // From now on the kernel delivers only what comes from there.
      check(
          Kernel.call(Syscall.CONNECT, socket.number(), address.address(), address.byteSize()),
          () -> "reach " + to);
      byte[] request = request(to.isV4(), messageLength);
      int longest = LONGEST_HEADER_V4 + messageLength;
      MemorySegment buffer = arena.allocate(longest);
      MemorySegment.copy(request, 0, buffer, JAVA_BYTE, 0, request.length);
      Deadline deadline = Deadline.after(limit);
      long begin = System.nanoTime();
      long sent = Kernel.call(Syscall.WRITE, socket.number(), buffer.address(), request.length);
      if (sent == -Errno.ENOBUFS.number()) {
        // The link itself has dropped it, as a veth does whose other end takes less.
        return Optional.empty();
      }
      check(sent, () -> "send an ICMP echo request to " + to);
      while (Poll.await(socket.number(), Poll.IN, deadline) == Poll.Result.READY) {
        long length =
            check(
                Kernel.call(Syscall.READ, socket.number(), buffer.address(), longest),
                () -> "receive the ICMP echo reply of " + to);
        Duration elapsed = Duration.ofNanos(System.nanoTime() - begin);
        if (answers(buffer.asSlice(0, length).toArray(JAVA_BYTE), request, to.isV4())) {
          return Optional.of(elapsed);
        }
      }
      return Optional.empty();
    }
  }

  private static void neverFragment(Arena arena, Fd socket, boolean v4) {
    MemorySegment value = arena.allocateFrom(JAVA_INT, PMTUDISC_PROBE);
    check(
        Kernel.call(
            Syscall.SETSOCKOPT,
            socket.number(),
            v4 ? IPPROTO_IP : IPPROTO_IPV6,
            v4 ? IP_MTU_DISCOVER : IPV6_MTU_DISCOVER,
            value.address(),
            Integer.BYTES),
        () -> "forbid fragments");
  }

  private static MemorySegment address(Arena arena, IpAddress to, int family) {
    MemorySegment address = arena.allocate(to.isV4() ? SOCKADDR_IN : SOCKADDR_IN6, Integer.BYTES);
    address.set(JAVA_SHORT, 0, (short) family);
    byte[] bytes = to.toByteArray();
    // After the port and, for IPv6, the flow label.
    MemorySegment.copy(bytes, 0, address, JAVA_BYTE, to.isV4() ? 4 : 8, bytes.length);
    return address;
  }

  /**
   * With an identifier and data unique to this request, so that other replies are not mistaken for
   * ours.
   */
  private static byte[] request(boolean v4, int length) {
    byte[] request = new byte[length];
    ThreadLocalRandom.current().nextBytes(request);
    request[0] = (byte) (v4 ? REQUEST_V4 : REQUEST_V6);
    request[1] = 0;
    ByteBuffer buffer = ByteBuffer.wrap(request).putShort(CHECKSUM, (short) 0);
    if (v4) {
      // For IPv6, whose checksum covers addresses as well, the kernel computes it.
      buffer.putShort(CHECKSUM, checksum(buffer));
    }
    return request;
  }

  private static short checksum(ByteBuffer message) {
    int sum = 0;
    int at = 0;
    for (; at + Short.BYTES <= message.capacity(); at += Short.BYTES) {
      sum += Short.toUnsignedInt(message.getShort(at));
    }
    if (at < message.capacity()) {
      sum += Byte.toUnsignedInt(message.get(at)) << Byte.SIZE;
    }
    sum = (sum & 0xffff) + (sum >>> Short.SIZE);
    return (short) ~(sum + (sum >>> Short.SIZE));
  }

  /** A raw IPv4 socket delivers the IP header, too; a raw IPv6 socket does not. */
  private static boolean answers(byte[] received, byte[] request, boolean v4) {
    int begin = v4 && received.length > 0 ? (received[0] & 0xf) * Integer.BYTES : 0;
    return received.length == begin + request.length
        && Byte.toUnsignedInt(received[begin]) == (v4 ? REPLY_V4 : REPLY_V6)
        && Arrays.equals(
            received, begin + IDENTIFIER, received.length, request, IDENTIFIER, request.length);
  }
}

package io.ocicat.netlink.linux;

import static io.ocicat.netlink.linux.NetlinkException.check;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
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
  private static final int LONGEST = 512;

  private IcmpEcho() {}

  /** Returns the round-trip time; empty when no reply came in time. */
  public static Optional<Duration> send(IpAddress to, Duration limit) {
    int family = to.isV4() ? AF_INET : AF_INET6;
    int protocol = to.isV4() ? IPPROTO_ICMP : IPPROTO_ICMPV6;
    try (Fd socket =
            Fd.owning(
                check(
                    Kernel.call(
                        Syscall.SOCKET, family, SOCK_RAW | SocketCalls.SOCK_CLOEXEC, protocol),
                    () -> "open a raw ICMP socket"));
        Arena arena = Arena.ofConfined()) {
      MemorySegment address = address(arena, to, family);
      // From now on the kernel delivers only what comes from there.
      check(
          Kernel.call(Syscall.CONNECT, socket.number(), address.address(), address.byteSize()),
          () -> "reach " + to);
      byte[] request = request(to.isV4());
      MemorySegment buffer = arena.allocate(LONGEST);
      MemorySegment.copy(request, 0, buffer, JAVA_BYTE, 0, request.length);
      Deadline deadline = Deadline.after(limit);
      long begin = System.nanoTime();
      check(
          Kernel.call(Syscall.WRITE, socket.number(), buffer.address(), request.length),
          () -> "send an ICMP echo request to " + to);
      while (Poll.await(socket.number(), Poll.IN, deadline) == Poll.Result.READY) {
        long length =
            check(
                Kernel.call(Syscall.READ, socket.number(), buffer.address(), LONGEST),
                () -> "receive the ICMP echo reply of " + to);
        Duration elapsed = Duration.ofNanos(System.nanoTime() - begin);
        if (answers(buffer.asSlice(0, length).toArray(JAVA_BYTE), request, to.isV4())) {
          return Optional.of(elapsed);
        }
      }
      return Optional.empty();
    }
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
  private static byte[] request(boolean v4) {
    byte[] request = new byte[LENGTH];
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
    for (int at = 0; at < LENGTH; at += Short.BYTES) {
      sum += Short.toUnsignedInt(message.getShort(at));
    }
    sum = (sum & 0xffff) + (sum >>> Short.SIZE);
    return (short) ~(sum + (sum >>> Short.SIZE));
  }

  /** A raw IPv4 socket delivers the IP header, too; a raw IPv6 socket does not. */
  private static boolean answers(byte[] received, byte[] request, boolean v4) {
    int begin = v4 && received.length > 0 ? (received[0] & 0xf) * Integer.BYTES : 0;
    return received.length == begin + LENGTH
        && Byte.toUnsignedInt(received[begin]) == (v4 ? REPLY_V4 : REPLY_V6)
        && Arrays.equals(
            received, begin + IDENTIFIER, received.length, request, IDENTIFIER, LENGTH);
  }
}

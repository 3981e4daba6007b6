package io.ocicat.agent.matrix;

import static io.ocicat.netlink.linux.NetlinkException.check;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.Kernel;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.linux.Syscall;
import io.ocicat.netlink.ns.NetNs;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A raw IP socket of one protocol in a namespace: for SCTP, which the kernel has no sockets for,
 * and for ICMP. The kernel writes the IP header. For one thread.
 */
final class RawSocket implements AutoCloseable {
  private static final int AF_INET = 2;
  private static final int AF_INET6 = 10;
  private static final int SOCK_RAW = 3;
  private static final int NON_BLOCKING_CLOEXEC = 0x80800;
  private static final int SOCKADDR_IN = 16;
  private static final int SOCKADDR_IN6 = 28;
  private static final int V4_ADDRESS = 4;
  private static final int V6_ADDRESS = 8;
  private static final int LONGEST = 2048;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment address = arena.allocate(SOCKADDR_IN6, Integer.BYTES);
  private final MemorySegment length = arena.allocate(JAVA_INT);
  private final MemorySegment buffer = arena.allocate(LONGEST);
  private final Fd fd;
  private final boolean v4;

  /** A packet without its IP header. */
  record Received(IpAddress source, ByteBuffer payload) {}

  /** Opens one and binds it, so that packets are sent from this address. */
  RawSocket(NetNs namespace, IpAddress own, int protocol) {
    this.v4 = own.isV4();
    this.fd =
        namespace.visit(
            () ->
                Fd.owning(
                    check(
                        Kernel.call(
                            Syscall.SOCKET,
                            v4 ? AF_INET : AF_INET6,
                            SOCK_RAW | NON_BLOCKING_CLOEXEC,
                            protocol),
                        () -> "open a raw socket")));
    write(own);
    check(
        Kernel.call(Syscall.BIND, fd.number(), address.address(), addressLength()),
        () -> "bind a raw socket to " + own);
  }

  int descriptor() {
    return fd.number();
  }

  /** Sends a packet; one that the host itself refuses to send is lost as any other. */
  void send(IpAddress to, byte[] payload) {
    write(to);
    MemorySegment.copy(payload, 0, buffer, JAVA_BYTE, 0, payload.length);
    Kernel.call(
        Syscall.SENDTO,
        fd.number(),
        buffer.address(),
        payload.length,
        0,
        address.address(),
        addressLength());
  }

  /** Returns the next packet; null when there is none. */
  @Nullable Received receive() {
    length.set(JAVA_INT, 0, SOCKADDR_IN6);
    long size =
        Kernel.call(
            Syscall.RECVFROM,
            fd.number(),
            buffer.address(),
            LONGEST,
            0,
            address.address(),
            length.address());
    if (size == -Errno.EAGAIN.number()) {
      return null;
    }
    if (size < 0) {
      throw new NetlinkException("receive from a raw socket", Errno.ofResult(size));
    }
    byte[] bytes = buffer.asSlice(0, size).toArray(JAVA_BYTE);
    int at = v4 ? V4_ADDRESS : V6_ADDRESS;
    byte[] source = address.asSlice(at, v4 ? 4 : 16).toArray(JAVA_BYTE);
    int header = v4 ? (bytes[0] & 0xf) * Integer.BYTES : 0;
    return new Received(
        IpAddress.ofBytes(source), ByteBuffer.wrap(bytes, header, bytes.length - header).slice());
  }

  private void write(IpAddress to) {
    address.fill((byte) 0);
    address.set(JAVA_SHORT, 0, (short) (v4 ? AF_INET : AF_INET6));
    byte[] bytes = to.toByteArray();
    MemorySegment.copy(bytes, 0, address, JAVA_BYTE, v4 ? V4_ADDRESS : V6_ADDRESS, bytes.length);
  }

  private int addressLength() {
    return v4 ? SOCKADDR_IN : SOCKADDR_IN6;
  }

  @Override
  public void close() {
    fd.close();
    arena.close();
  }
}

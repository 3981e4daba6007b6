package io.ocicat.plugins.portmap;

import static io.ocicat.netlink.linux.NetlinkException.check;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.Kernel;
import io.ocicat.netlink.linux.Syscall;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Host;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * SCTP packets without a kernel that supports SCTP: the first one of an association, sent and
 * received with raw sockets. Connection tracking knows the protocol all the same.
 */
final class RawSctp implements AutoCloseable {
  private static final int AF_INET = 2;
  private static final int SOCK_RAW_CLOEXEC = 3 | 0x80000;
  private static final int IPPROTO_SCTP = 132;
  private static final int SOL_SOCKET = 1;
  private static final int SO_RCVTIMEO = 20;

  private final Fd socket;

  private RawSctp(Fd socket) {
    this.socket = socket;
  }

  static RawSctp open(Host host) {
    try (NetNs namespace = NetNs.open(host.path());
        Arena arena = Arena.ofConfined()) {
      Fd socket =
          namespace.visit(
              () ->
                  Fd.owning(
                      check(
                          Kernel.call(Syscall.SOCKET, AF_INET, SOCK_RAW_CLOEXEC, IPPROTO_SCTP),
                          () -> "open a raw socket")));
      MemorySegment fiveSeconds = arena.allocate(16);
      fiveSeconds.set(JAVA_BYTE, 0, (byte) 5);
      check(
          Kernel.call(
              Syscall.SETSOCKOPT,
              socket.number(),
              SOL_SOCKET,
              SO_RCVTIMEO,
              fiveSeconds.address(),
              16),
          () -> "limit the wait for packets");
      return new RawSctp(socket);
    }
  }

  /** Requests an association. */
  void init(String address, int sourcePort, int port) {
    ByteBuffer packet = ByteBuffer.allocate(32);
    packet.putShort((short) sourcePort).putShort((short) port).putInt(0).putInt(0);
    packet.put((byte) 1).put((byte) 0).putShort((short) 20);
    packet.putInt(0x01020304).putInt(65536).putShort((short) 1).putShort((short) 1).putInt(1);
    CRC32C sum = new CRC32C();
    sum.update(packet.array());
    packet.order(ByteOrder.LITTLE_ENDIAN).putInt(8, (int) sum.getValue());
    ByteBuffer to = ByteBuffer.allocate(16);
    to.order(ByteOrder.nativeOrder()).putShort((short) AF_INET);
    to.put(4, IpAddress.parse(address).toByteArray());
    try (Arena arena = Arena.ofConfined()) {
      check(
          Kernel.call(
              Syscall.SENDTO,
              socket.number(),
              arena.allocateFrom(JAVA_BYTE, packet.array()).address(),
              packet.capacity(),
              0,
              arena.allocateFrom(JAVA_BYTE, to.array()).address(),
              to.capacity()),
          () -> "send an SCTP packet");
    }
  }

  /** Waits for a packet: from where to which port, as in {@code 10.2.0.2:7000 > 80}. */
  String receive() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(2048);
      long size =
          check(
              Kernel.call(
                  Syscall.RECVFROM, socket.number(), memory.address(), memory.byteSize(), 0, 0, 0),
              () -> "receive an SCTP packet");
      ByteBuffer packet = ByteBuffer.wrap(memory.asSlice(0, size).toArray(JAVA_BYTE));
      byte[] source = new byte[4];
      packet.get(12, source);
      int header = (packet.get(0) & 0xf) * 4;
      return "%s:%d > %d"
          .formatted(
              IpAddress.ofBytes(source),
              Short.toUnsignedInt(packet.getShort(header)),
              Short.toUnsignedInt(packet.getShort(header + 2)));
    }
  }

  @Override
  public void close() {
    socket.close();
  }
}

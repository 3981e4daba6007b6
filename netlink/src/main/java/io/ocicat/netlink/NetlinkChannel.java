package io.ocicat.netlink;

import static io.ocicat.netlink.linux.NetlinkException.check;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.Kernel;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.linux.Syscall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Optional;

/**
 * A bound netlink socket, which sends and receives datagrams. It belongs for ever to the namespace
 * of the thread that opened it.
 */
final class NetlinkChannel implements AutoCloseable {
  private static final int AF_NETLINK = 16;
  private static final int SOCK_RAW_CLOEXEC = 3 | 0x80000;
  private static final int SOL_SOCKET = 1;
  private static final int SO_SNDBUF = 7;
  private static final int SO_RCVBUF = 8;
  private static final int SO_RCVTIMEO = 20;
  private static final int SO_SNDBUFFORCE = 32;
  private static final int SO_RCVBUFFORCE = 33;
  private static final int SOL_NETLINK = 270;
  private static final int NETLINK_ADD_MEMBERSHIP = 1;
  private static final int NETLINK_CAP_ACK = 10;
  private static final int NETLINK_EXT_ACK = 11;
  private static final int NETLINK_GET_STRICT_CHK = 12;
  private static final int MSG_TRUNC = 0x20;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int DEFAULT_SEND_LIMIT = 128 * 1024;

  private final Fd fd;

  private NetlinkChannel(Fd fd) {
    this.fd = fd;
  }

  /**
   * @param receiveBuffer bytes the kernel may queue for us before it drops any
   * @param timeout how long a receive waits at most; zero for ever
   */
  static NetlinkChannel open(Protocol protocol, int receiveBuffer, Duration timeout) {
    long number = Kernel.call(Syscall.SOCKET, AF_NETLINK, SOCK_RAW_CLOEXEC, protocol.number());
    NetlinkChannel channel =
        new NetlinkChannel(Fd.owning(check(number, () -> "open a netlink socket for " + protocol)));
    Buffers buffers = Buffers.borrow();
    try {
      MemorySegment option = buffers.in.asSlice(0, 16);
      // Exceeding the administrator's limit needs CAP_NET_ADMIN; without it we take what we get.
      if (channel.set(SOL_SOCKET, SO_RCVBUFFORCE, receiveBuffer, option) < 0) {
        channel.set(SOL_SOCKET, SO_RCVBUF, receiveBuffer, option);
      }
      // Kernels before 4.20 lack some of the three; everything works without, with poorer errors
      // and larger dumps.
      channel.set(SOL_NETLINK, NETLINK_CAP_ACK, 1, option);
      channel.set(SOL_NETLINK, NETLINK_EXT_ACK, 1, option);
      channel.set(SOL_NETLINK, NETLINK_GET_STRICT_CHK, 1, option);
      channel.setReceiveTimeout(timeout, option);
      option.fill((byte) 0);
      option.set(JAVA_SHORT, 0, (short) AF_NETLINK);
      check(
          Kernel.call(Syscall.BIND, channel.fd.number(), option.address(), Buffers.SOCKADDR_NL),
          () -> "bind a netlink socket");
      return channel;
    } catch (RuntimeException e) {
      channel.close();
      throw e;
    } finally {
      buffers.release();
    }
  }

  void join(int group) {
    try (Arena arena = Arena.ofConfined()) {
      check(
          set(SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, group, arena.allocate(4, 4)),
          () -> "subscribe to netlink group " + group);
    }
  }

  int descriptor() {
    return fd.number();
  }

  void send(Buffers buffers) {
    int length = buffers.out.length();
    if (length > DEFAULT_SEND_LIMIT) {
      allowSending(length);
    }
    MemorySegment written = buffers.written();
    long sent;
    do {
      sent = Kernel.call(Syscall.SENDTO, fd.number(), written.address(), length);
    } while (sent == -Errno.EINTR.number());
    check(sent, () -> "send " + length + " bytes of netlink messages");
  }

  /** Waits for the next datagram from the kernel; those of other senders are dropped. */
  byte[] receive(Buffers buffers) {
    return copy(buffers, check(await(buffers, 0), () -> "receive from netlink"));
  }

  /** The next datagram from the kernel, if there is one. */
  Optional<byte[]> receiveIfAny(Buffers buffers) {
    long size = await(buffers, MSG_DONTWAIT);
    return size == -Errno.EAGAIN.number()
        ? Optional.empty()
        : Optional.of(copy(buffers, check(size, () -> "receive from netlink")));
  }

  @Override
  public void close() {
    fd.close();
  }

  /** Returns the size of the datagram now in the buffer, or a negated errno. */
  private long await(Buffers buffers, int flags) {
    while (true) {
      buffers.senderLength.set(JAVA_INT, 0, Buffers.SOCKADDR_NL);
      long size =
          Kernel.call(
              Syscall.RECVFROM,
              fd.number(),
              buffers.in.address(),
              Buffers.RECEIVE,
              MSG_TRUNC | flags,
              buffers.sender.address(),
              buffers.senderLength.address());
      boolean fromKernel = buffers.sender.get(JAVA_INT, 4) == 0;
      if (size != -Errno.EINTR.number() && (size < 0 || fromKernel)) {
        return size;
      }
    }
  }

  private static byte[] copy(Buffers buffers, long size) {
    if (size > Buffers.RECEIVE) {
      throw NetlinkException.malformed("a message of " + size + " bytes was cut off");
    }
    byte[] datagram = new byte[(int) size];
    MemorySegment.copy(buffers.in, JAVA_BYTE, 0, datagram, 0, datagram.length);
    return datagram;
  }

  private void allowSending(int bytes) {
    try (Arena arena = Arena.ofConfined()) {
      int room = bytes * 2;
      MemorySegment option = arena.allocate(4, 4);
      // In a user namespace only the administrator's limit is ours, which is twice the default.
      if (set(SOL_SOCKET, SO_SNDBUFFORCE, room, option) < 0) {
        set(SOL_SOCKET, SO_SNDBUF, room, option);
      }
    }
  }

  private void setReceiveTimeout(Duration timeout, MemorySegment timeval) {
    timeval.set(JAVA_LONG, 0, timeout.toSeconds());
    timeval.set(JAVA_LONG, 8, timeout.toNanosPart() / 1000);
    check(
        Kernel.call(
            Syscall.SETSOCKOPT, fd.number(), SOL_SOCKET, SO_RCVTIMEO, timeval.address(), 16),
        () -> "limit the wait of a netlink socket");
  }

  private long set(int level, int name, int value, MemorySegment option) {
    option.set(JAVA_INT, 0, value);
    return Kernel.call(Syscall.SETSOCKOPT, fd.number(), level, name, option.address(), 4);
  }
}

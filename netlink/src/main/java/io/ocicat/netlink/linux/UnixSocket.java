package io.ocicat.netlink.linux;

import static io.ocicat.netlink.linux.NetlinkException.check;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * A connected Unix socket that can transfer open descriptors as well as bytes, which the JDK's
 * cannot.
 *
 * <p>Thread-safe: one thread may send while another receives, and any may close, which ends the
 * waits of the others with EBADF. Concurrent sends on a stream mix their bytes. Waits block the
 * platform thread.
 */
public final class UnixSocket implements AutoCloseable {
  private static final int SHUT_WR = 1;
  private static final int SHUT_RDWR = 2;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int MSG_NOSIGNAL = 0x4000;
  private static final int MSG_CMSG_CLOEXEC = 0x40000000;

  private enum Direction {
    SEND(Syscall.SENDMSG, MSG_NOSIGNAL, Poll.OUT, "send to"),
    RECEIVE(Syscall.RECVMSG, MSG_CMSG_CLOEXEC, Poll.IN, "receive from");

    private final Syscall call;
    private final int flags;
    private final int readiness;
    private final String verb;

    Direction(Syscall call, int flags, int readiness, String verb) {
      this.call = call;
      this.flags = flags | MSG_DONTWAIT;
      this.readiness = readiness;
      this.verb = verb;
    }
  }

  private final GuardedFd fd;
  private final String name;

  private UnixSocket(Fd fd, String name) {
    this.fd = new GuardedFd(fd);
    this.name = name;
  }

  /**
   * Connects to the listener at a path. Fails with ENOENT when the file does not exist,
   * ECONNREFUSED when nobody listens, ETIMEDOUT when its queue stays full.
   */
  public static UnixSocket connect(Path path, SocketType type, Duration limit) {
    Fd socket = SocketCalls.socket(type);
    try {
      SocketCalls.limitSending(socket, limit);
      long result;
      do {
        result = SocketCalls.toAddress(Syscall.CONNECT, socket, path);
      } while (result == -Errno.EINTR.number());
      if (result == -Errno.EAGAIN.number()) {
        String why = "its queue was full for " + limit.toMillis() + " ms";
        throw new NetlinkException("connect to " + path, Errno.ETIMEDOUT, why);
      }
      check(result, () -> "connect to " + path);
      return new UnixSocket(socket, path.toString());
    } catch (RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  /** Two sockets connected to each other. */
  public static List<UnixSocket> pair(SocketType type) {
    return SocketCalls.pair(type).stream().map(end -> new UnixSocket(end, "its pair")).toList();
  }

  /** Takes ownership of a connected socket, for instance one received over another. */
  public static UnixSocket adopt(Fd socket) {
    try {
      int domain = SocketCalls.option(socket.number(), SocketCalls.SO_DOMAIN);
      if (domain != SocketCalls.AF_UNIX) {
        throw new NetlinkException(
            "adopt descriptor " + socket.number(), Errno.EINVAL, "it is no unix socket");
      }
      return new UnixSocket(socket, "descriptor " + socket.number());
    } catch (RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  /** For a connection just accepted. */
  static UnixSocket accepted(Fd socket, String listener) {
    return new UnixSocket(socket, "a client of " + listener);
  }

  /** The process at the other end. */
  public PeerCredentials peer() {
    return use("ask for the peer of", SocketCalls::peer);
  }

  /**
   * Sends all bytes and, with the first of them, duplicates of the descriptors, which stay the
   * caller's. After a failure the peer may have received a part.
   *
   * @param bytes at least one, because descriptors need data to travel with
   * @param limit for all of it; then ETIMEDOUT
   * @param descriptors at most 253
   */
  public void send(byte[] bytes, Duration limit, int... descriptors) {
    if (bytes.length == 0 || descriptors.length > SocketMessage.MAX_DESCRIPTORS) {
      throw new IllegalArgumentException(
          "a message has at least 1 byte and at most %d descriptors, not %d and %d"
              .formatted(SocketMessage.MAX_DESCRIPTORS, bytes.length, descriptors.length));
    }
    Deadline deadline = Deadline.after(limit);
    use(
        Direction.SEND.verb,
        socket -> {
          try (Arena arena = Arena.ofConfined()) {
            SocketMessage message = SocketMessage.toSend(arena, bytes, descriptors);
            long sent = 0;
            while (sent < bytes.length) {
              sent += transfer(Direction.SEND, socket, message, deadline);
              message.sent(sent);
            }
            return sent;
          }
        });
  }

  /**
   * Waits for bytes and reads what is available; from a SEQPACKET socket one message.
   *
   * @param most the most bytes to take; a message that has more is lost, with EMSGSIZE
   * @param mostDescriptors how many descriptors may come with them; when more do, all are closed
   *     and the bytes are lost, with EMSGSIZE
   * @param limit then ETIMEDOUT
   * @return empty when the peer has closed or ended its output; an empty message looks the same
   */
  public Optional<Received> receive(int most, int mostDescriptors, Duration limit) {
    if (most < 1 || mostDescriptors < 0 || mostDescriptors > SocketMessage.MAX_DESCRIPTORS) {
      throw new IllegalArgumentException(
          "a receive takes at least 1 byte and 0 to %d descriptors, not %d and %d"
              .formatted(SocketMessage.MAX_DESCRIPTORS, most, mostDescriptors));
    }
    Deadline deadline = Deadline.after(limit);
    return use(
        Direction.RECEIVE.verb,
        socket -> {
          try (Arena arena = Arena.ofConfined()) {
            SocketMessage message = SocketMessage.toReceive(arena, most, mostDescriptors);
            long count = transfer(Direction.RECEIVE, socket, message, deadline);
            return unpack(message, count, mostDescriptors);
          }
        });
  }

  private Optional<Received> unpack(SocketMessage message, long count, int mostDescriptors) {
    List<Fd> descriptors = message.takeDescriptors();
    if (message.lostBytes() || message.lostDescriptors()) {
      descriptors.forEach(Fd::close);
      throw new NetlinkException(
          Direction.RECEIVE.verb + " " + name,
          Errno.EMSGSIZE,
          message.lostBytes()
              ? "the message is longer than expected"
              : "more descriptors came than the expected %d, or this process has too many open"
                  .formatted(mostDescriptors));
    }
    if (count > 0 || !descriptors.isEmpty()) {
      return Optional.of(new Received(message.bytes(count), descriptors));
    }
    checkOpen(Direction.RECEIVE.verb);
    return Optional.empty();
  }

  /**
   * Waits until the peer has closed or ended its output, whether or not everything it sent has been
   * received. Returns whether it has within the limit.
   */
  public boolean awaitHangup(Duration limit) {
    Deadline deadline = Deadline.after(limit);
    return use(
        "watch",
        socket -> {
          Poll.Result result = Poll.await(socket, Poll.PEER_DONE, deadline);
          checkOpen("watch");
          return result == Poll.Result.READY;
        });
  }

  /** Ends the output; what the peer sends can still be received. */
  public void endOutput() {
    String verb = "end the output to";
    use(
        verb,
        socket -> check(Kernel.call(Syscall.SHUTDOWN, socket, SHUT_WR), () -> verb + " " + name));
  }

  public boolean isOpen() {
    return fd.isOpen();
  }

  @Override
  public void close() {
    fd.close(() -> Kernel.call(Syscall.SHUTDOWN, fd.number(), SHUT_RDWR));
  }

  /** One call that transfers bytes; waits when that is not possible at once. */
  private long transfer(Direction way, int socket, SocketMessage message, Deadline deadline) {
    while (true) {
      long result = Kernel.call(way.call, socket, message.address(), way.flags);
      if (result >= 0) {
        return result;
      }
      checkOpen(way.verb);
      if (result == -Errno.EAGAIN.number()) {
        if (Poll.await(socket, way.readiness, deadline) == Poll.Result.TOO_LATE) {
          String why = "the peer let " + deadline + " pass";
          throw new NetlinkException(way.verb + " " + name, Errno.ETIMEDOUT, why);
        }
      } else if (result != -Errno.EINTR.number()) {
        throw new NetlinkException(way.verb + " " + name, Errno.ofResult(result));
      }
    }
  }

  private <T> T use(String verb, IntFunction<T> work) {
    if (!fd.enter()) {
      throw closed(verb);
    }
    try {
      return work.apply(fd.number());
    } finally {
      fd.leave();
    }
  }

  private void checkOpen(String verb) {
    if (!fd.isOpen()) {
      throw closed(verb);
    }
  }

  private NetlinkException closed(String verb) {
    return new NetlinkException(verb + " " + name, Errno.EBADF, "the socket was closed here");
  }
}

package io.ocicat.netlink.linux;

import static io.ocicat.netlink.linux.NetlinkException.check;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The plain system calls of Unix sockets. */
final class SocketCalls {
  static final int SO_ACCEPTCONN = 30;
  static final int SO_DOMAIN = 39;
  static final int AF_UNIX = 1;
  static final int SOCK_CLOEXEC = 0x80000;

  private static final int SOL_SOCKET = 1;
  private static final int SO_PEERCRED = 17;
  private static final int SO_SNDTIMEO = 21;
  private static final int UCRED = 12;
  private static final int SUN_PATH = 2;
  private static final int LONGEST_PATH = 107;
  private static final Duration LONGEST_WAIT = Duration.ofDays(1);

  private SocketCalls() {}

  static Fd socket(SocketType type) {
    return Fd.owning(
        check(
            Kernel.call(Syscall.SOCKET, AF_UNIX, type.number() | SOCK_CLOEXEC, 0),
            () -> "open a unix socket"));
  }

  static List<Fd> pair(SocketType type) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment both = arena.allocate(JAVA_INT, 2);
      int flags = type.number() | SOCK_CLOEXEC;
      check(
          Kernel.call(Syscall.SOCKETPAIR, AF_UNIX, flags, 0, both.address()),
          () -> "open a pair of unix sockets");
      return List.of(
          Fd.owning(both.getAtIndex(JAVA_INT, 0)), Fd.owning(both.getAtIndex(JAVA_INT, 1)));
    }
  }

  /** CONNECT or BIND. Returns the kernel's result. */
  static long toAddress(Syscall call, Fd socket, Path path) {
    byte[] name = path.toString().getBytes(UTF_8);
    if (name.length == 0 || name.length > LONGEST_PATH) {
      throw new IllegalArgumentException(
          "a unix socket's path has 1 to %d bytes, not %d as \"%s\""
              .formatted(LONGEST_PATH, name.length, path));
    }
    try (Arena arena = Arena.ofConfined()) {
      int size = SUN_PATH + name.length + 1;
      MemorySegment address = arena.allocate(size, Short.BYTES);
      address.set(JAVA_SHORT, 0, (short) AF_UNIX);
      MemorySegment.copy(name, 0, address, JAVA_BYTE, SUN_PATH, name.length);
      return Kernel.call(call, socket.number(), address.address(), size);
    }
  }

  /** Limits connect(2), which waits while the listener's queue is full; to a day at most. */
  static void limitSending(Fd socket, Duration limit) {
    Duration bounded = limit.compareTo(LONGEST_WAIT) < 0 ? limit : LONGEST_WAIT;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment timeval = arena.allocate(2 * Long.BYTES, Long.BYTES);
      // Zero would mean for ever.
      long micros = Math.max(1, bounded.toNanos() / 1000);
      timeval.set(JAVA_LONG, 0, micros / 1_000_000);
      timeval.set(JAVA_LONG, Long.BYTES, micros % 1_000_000);
      check(
          Kernel.call(
              Syscall.SETSOCKOPT,
              socket.number(),
              SOL_SOCKET,
              SO_SNDTIMEO,
              timeval.address(),
              timeval.byteSize()),
          () -> "limit the wait of a unix socket");
    }
  }

  static int option(int socket, int option) {
    try (Arena arena = Arena.ofConfined()) {
      return option(arena, socket, option, Integer.BYTES).get(JAVA_INT, 0);
    }
  }

  static PeerCredentials peer(int socket) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ucred = option(arena, socket, SO_PEERCRED, UCRED);
      return new PeerCredentials(
          ucred.get(JAVA_INT, 0), ucred.get(JAVA_INT, 4), ucred.get(JAVA_INT, 8));
    }
  }

  private static MemorySegment option(Arena arena, int socket, int option, int size) {
    MemorySegment value = arena.allocate(size, Integer.BYTES);
    MemorySegment length = arena.allocateFrom(JAVA_INT, size);
    check(
        Kernel.call(
            Syscall.GETSOCKOPT, socket, SOL_SOCKET, option, value.address(), length.address()),
        () -> "ask descriptor %d for its socket option %d".formatted(socket, option));
    return value;
  }
}

package io.ocicat.netlink.linux;

import static io.ocicat.netlink.linux.NetlinkException.check;

import io.ocicat.netlink.linux.Fd.FileId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A Unix socket that accepts connections.
 *
 * <p>Closing does not remove its file, because a successor may own the name by then; see {@link
 * #removeFile}. A connection made while nobody accepts waits in the socket's queue, and goes to
 * another process that has the socket open when this one closes.
 *
 * <p>Thread-safe: several threads may accept, and any may close, which ends the waits of the
 * others.
 */
public final class UnixListener implements AutoCloseable {
  /** As many as the administrator allows (net.core.somaxconn): clients queue rather than fail. */
  private static final int BACKLOG = 65_535;

  private static final int AT_FDCWD = -100;
  private static final int SHUT_RDWR = 2;
  private static final int F_GETFL = 3;
  private static final int F_SETFL = 4;
  private static final int O_NONBLOCK = 0x800;
  private static final int EFD_CLOEXEC_NONBLOCK = 0x80000 | O_NONBLOCK;

  /** The file we created, and its identity. */
  private record OwnFile(Path path, FileId id) {}

  /** The socket, and the eventfd whose readiness ends all waits on it. */
  private record Ends(Fd socket, Fd wake) {
    static Ends of(Fd socket) {
      try {
        long wake = Kernel.call(Syscall.EVENTFD2, 0, EFD_CLOEXEC_NONBLOCK);
        return new Ends(socket, Fd.owning(check(wake, () -> "open an eventfd")));
      } catch (RuntimeException e) {
        socket.close();
        throw e;
      }
    }

    void close() {
      socket.close();
      wake.close();
    }
  }

  private final GuardedFd fd;
  private final Fd wake;
  private final String name;
  private final @Nullable OwnFile file;

  /** A socket that refuses connections is always ready, and never has one. */
  private volatile boolean refusing;

  private UnixListener(Ends ends, String name, @Nullable OwnFile file) {
    this.fd = new GuardedFd(ends.socket(), ends.wake());
    this.wake = ends.wake();
    this.name = name;
    this.file = file;
  }

  /**
   * Listens at a path. Fails with EADDRINUSE when the file exists, even if it is a socket that
   * nobody listens to any more.
   *
   * @param mode who may connect, such as 0600; never more, not even for a moment
   */
  public static UnixListener bind(Path path, SocketType type, int mode) {
    Ends ends = Ends.of(SocketCalls.socket(type));
    try {
      FileId id = listen(ends.socket(), path, mode);
      return new UnixListener(ends, path.toString(), new OwnFile(path, id));
    } catch (RuntimeException e) {
      ends.close();
      throw e;
    }
  }

  /**
   * Listens at a path, replacing whatever is there. At no moment is the file missing or without a
   * listener: clients reach either the old listener or this one.
   */
  public static UnixListener takeOver(Path path, SocketType type, int mode) {
    String unique = "." + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
    Path temporary = path.resolveSibling(unique);
    Ends ends = Ends.of(SocketCalls.socket(type));
    try {
      FileId id = listen(ends.socket(), temporary, mode);
      rename(temporary, path);
      return new UnixListener(ends, path.toString(), new OwnFile(path, id));
    } catch (RuntimeException e) {
      ends.close();
      throw e;
    }
  }

  /**
   * Takes ownership of a socket that is already listening, for instance one of {@link
   * SocketActivation}. Makes it non-blocking, for all that share it.
   */
  public static UnixListener adopt(Fd socket) {
    return adopt(socket, (OwnFile) null);
  }

  /** The same for a socket that was created for us, whose file we may remove. */
  public static UnixListener adopt(Fd socket, Path path) {
    return adopt(socket, new OwnFile(path, identify(path)));
  }

  private static UnixListener adopt(Fd socket, @Nullable OwnFile file) {
    Ends ends = Ends.of(socket);
    try {
      int number = socket.number();
      boolean listens =
          SocketCalls.option(number, SocketCalls.SO_DOMAIN) == SocketCalls.AF_UNIX
              && SocketCalls.option(number, SocketCalls.SO_ACCEPTCONN) == 1;
      if (!listens) {
        throw new NetlinkException(
            "adopt descriptor " + number, Errno.EINVAL, "it is no unix socket that listens");
      }
      doNotBlock(socket);
      return new UnixListener(ends, "descriptor " + number, file);
    } catch (RuntimeException e) {
      ends.close();
      throw e;
    }
  }

  /** Waits for a connection; empty once this listener is closed. */
  public Optional<UnixSocket> accept() {
    return accept(Deadline.never());
  }

  /** Waits for a connection; empty after the limit, or once this listener is closed. */
  public Optional<UnixSocket> accept(Duration limit) {
    return accept(Deadline.after(limit));
  }

  /**
   * Refuses all connections from now on, even when other processes have the socket open and would
   * let clients wait. Cannot be undone. Connections that were already waiting can still be
   * accepted.
   */
  public void refuse() {
    if (fd.enter()) {
      try {
        refusing = true;
        check(Kernel.call(Syscall.SHUTDOWN, fd.number(), SHUT_RDWR), () -> "shut down " + name);
      } finally {
        fd.leave();
      }
    }
  }

  private Optional<UnixSocket> accept(Deadline deadline) {
    if (!fd.enter()) {
      return Optional.empty();
    }
    try {
      while (fd.isOpen()) {
        long accepted = Kernel.call(Syscall.ACCEPT4, fd.number(), 0, 0, SocketCalls.SOCK_CLOEXEC);
        if (accepted >= 0) {
          return Optional.of(UnixSocket.accepted(Fd.owning(accepted), name));
        }
        if (accepted == -Errno.EAGAIN.number()) {
          if (refusing) {
            return Optional.empty();
          }
          Poll.Result result = Poll.await(fd.number(), Poll.IN, wake.number(), deadline);
          if (result == Poll.Result.TOO_LATE) {
            return Optional.empty();
          }
        } else if (accepted != -Errno.EINTR.number() && accepted != -Errno.ECONNABORTED.number()) {
          throw new NetlinkException("accept from " + name, Errno.ofResult(accepted));
        }
      }
      return Optional.empty();
    } finally {
      fd.leave();
    }
  }

  public boolean isOpen() {
    return fd.isOpen();
  }

  /**
   * Whether the path still leads to this socket: somebody may have removed or replaced the file.
   */
  public boolean ownsFile() {
    try {
      return file != null && identify(file.path()).equals(file.id());
    } catch (NetlinkException e) {
      if (e.is(Errno.ENOENT)) {
        return false;
      }
      throw e;
    }
  }

  /**
   * Removes the file unless somebody has replaced it. It may be replaced between the check and the
   * removal: hold a lock that successors take as well.
   */
  public void removeFile() {
    if (file != null && ownsFile()) {
      remove(file.path());
    }
  }

  @Override
  public void close() {
    fd.close(this::wakeAll);
  }

  /** The eventfd stays readable, so every waiter sees it. */
  private void wakeAll() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment one = arena.allocateFrom(ValueLayout.JAVA_LONG, 1);
      Kernel.call(Syscall.WRITE, wake.number(), one.address(), Long.BYTES);
    }
  }

  /**
   * The mode is set on the socket before it gets a name; the file is created with it less the
   * process's umask, then gets the rest.
   */
  private static FileId listen(Fd socket, Path path, int mode) {
    check(
        Kernel.call(Syscall.FCHMOD, socket.number(), mode),
        () -> "set the mode of a socket for " + path);
    check(SocketCalls.toAddress(Syscall.BIND, socket, path), () -> "listen at " + path);
    try (Arena arena = Arena.ofConfined()) {
      long name = arena.allocateFrom(path.toString()).address();
      check(Kernel.call(Syscall.FCHMODAT, AT_FDCWD, name, mode), () -> "set the mode of " + path);
      check(Kernel.call(Syscall.LISTEN, socket.number(), BACKLOG), () -> "listen at " + path);
      doNotBlock(socket);
      return identify(path);
    } catch (RuntimeException e) {
      remove(path);
      throw e;
    }
  }

  private static void rename(Path temporary, Path path) {
    try {
      Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      remove(temporary);
      throw new UncheckedIOException("move a new unix socket to " + path, e);
    }
  }

  /** Another process or thread may accept the connection between our wait and our accept. */
  private static void doNotBlock(Fd socket) {
    long flags =
        check(Kernel.call(Syscall.FCNTL, socket.number(), F_GETFL), () -> "read socket flags");
    check(
        Kernel.call(Syscall.FCNTL, socket.number(), F_SETFL, flags | O_NONBLOCK),
        () -> "make a socket non-blocking");
  }

  private static FileId identify(Path path) {
    try (Fd found = Fd.open(path, Fd.O_PATH, 0)) {
      return found.id();
    }
  }

  private static void remove(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw new UncheckedIOException("remove " + path, e);
    }
  }
}

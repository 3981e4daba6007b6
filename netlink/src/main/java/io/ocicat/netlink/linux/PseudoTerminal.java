package io.ocicat.netlink.linux;

import static io.ocicat.netlink.linux.NetlinkException.check;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.function.IntFunction;

/**
 * The master side of a pseudo terminal (pty(7)), which the JDK cannot open. A process becomes its
 * user by opening {@link #slave} as the leader of a session of its own.
 *
 * <p>Thread-safe: one thread may read while another writes, and any may close, which ends the waits
 * of the others. Waits block the platform thread.
 */
public final class PseudoTerminal implements AutoCloseable {
  private static final Path MULTIPLEXER = Path.of("/dev/ptmx");
  private static final int O_NOCTTY = 0x100;
  private static final long TIOCSPTLCK = 0x40045431L;
  private static final long TIOCGPTN = 0x80045430L;
  private static final long TIOCSWINSZ = 0x5414;
  private static final int EFD_CLOEXEC_NONBLOCK = 0x80800;
  private static final int WINSIZE = 8;
  private static final Errno EIO = new Errno(5);

  private final GuardedFd fd;
  private final Fd wakeup;
  private final Path slave;

  private PseudoTerminal(Fd master, Fd wakeup, Path slave) {
    this.fd = new GuardedFd(master, wakeup);
    this.wakeup = wakeup;
    this.slave = slave;
  }

  public static PseudoTerminal open() {
    Fd master = Fd.open(MULTIPLEXER, Fd.O_RDWR | Fd.O_NONBLOCK | O_NOCTTY, 0);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocate(JAVA_INT);
      check(
          Kernel.call(Syscall.IOCTL, master.number(), TIOCSPTLCK, number.address()),
          () -> "unlock a pseudo terminal");
      check(
          Kernel.call(Syscall.IOCTL, master.number(), TIOCGPTN, number.address()),
          () -> "ask for the number of a pseudo terminal");
      Fd wakeup =
          Fd.owning(
              check(
                  Kernel.call(Syscall.EVENTFD2, 0, EFD_CLOEXEC_NONBLOCK), () -> "make an eventfd"));
      return new PseudoTerminal(
          master, wakeup, Path.of("/dev/pts", Integer.toString(number.get(JAVA_INT, 0))));
    } catch (RuntimeException e) {
      master.close();
      throw e;
    }
  }

  /** The device that a process uses as its terminal. */
  public Path slave() {
    return slave;
  }

  /** Waits for output. Returns -1 when no process uses it any more, and when it was closed here. */
  public int read(byte[] into, int offset, int length) {
    return use(
        -1,
        master -> {
          try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(length);
            long count = transfer(Syscall.READ, Poll.IN, master, buffer, length);
            MemorySegment.copy(buffer, JAVA_BYTE, 0, into, offset, (int) Math.max(count, 0));
            return count <= 0 ? -1 : (int) count;
          }
        });
  }

  /** Writes input. Returns false when no process uses it any more, and when it was closed here. */
  public boolean write(byte[] bytes, int offset, int length) {
    return use(
        false,
        master -> {
          try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(Math.max(length, 1));
            MemorySegment.copy(bytes, offset, buffer, JAVA_BYTE, 0, length);
            long written = 0;
            while (written < length) {
              long count =
                  transfer(
                      Syscall.WRITE, Poll.OUT, master, buffer.asSlice(written), length - written);
              if (count <= 0) {
                return false;
              }
              written += count;
            }
            return true;
          }
        });
  }

  /** Returns the count of bytes; -1 for the end. */
  private long transfer(
      Syscall call, int readiness, int master, MemorySegment buffer, long length) {
    while (true) {
      long count = Kernel.call(call, master, buffer.address(), length);
      if (count >= 0) {
        return count;
      }
      if (count == -EIO.number() || !fd.isOpen()) {
        return -1;
      }
      if (count == -Errno.EAGAIN.number()) {
        if (Poll.await(master, readiness, wakeup.number(), Deadline.never())
            == Poll.Result.CALLED_OFF) {
          return -1;
        }
      } else if (count != -Errno.EINTR.number()) {
        throw new NetlinkException("use " + slave, Errno.ofResult(count));
      }
    }
  }

  /** Sets the size in characters; its user gets SIGWINCH. */
  public void resize(int width, int height) {
    use(
        false,
        master -> {
          try (Arena arena = Arena.ofConfined()) {
            MemorySegment size = arena.allocate(WINSIZE, Short.BYTES);
            size.set(JAVA_SHORT, 0, (short) height);
            size.set(JAVA_SHORT, Short.BYTES, (short) width);
            return Kernel.call(Syscall.IOCTL, master, TIOCSWINSZ, size.address()) == 0;
          }
        });
  }

  private <T> T use(T whenClosed, IntFunction<T> work) {
    if (!fd.enter()) {
      return whenClosed;
    }
    try {
      return work.apply(fd.number());
    } finally {
      fd.leave();
    }
  }

  /** Hangs up: its session gets SIGHUP. */
  @Override
  public void close() {
    fd.close(
        () -> {
          try (Arena arena = Arena.ofConfined()) {
            MemorySegment one = arena.allocateFrom(JAVA_LONG, 1);
            Kernel.call(Syscall.WRITE, wakeup.number(), one.address(), Long.BYTES);
          }
        });
  }
}

package io.ocicat.netlink.ns;

import static io.ocicat.netlink.linux.NetlinkException.check;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.Fd.FileId;
import io.ocicat.netlink.linux.Kernel;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.linux.Syscall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/**
 * A network namespace, held open by a descriptor: it lives at least as long as this object.
 *
 * <p>A namespace belongs to an operating-system thread, not to a process, and threads inherit it
 * from the thread that starts them. So no method here leaves the calling thread in another
 * namespace: {@link #visit} goes in, does one short thing and comes back; {@link #call} runs a
 * thread entirely inside. Threads that your code starts inside {@link #call} stay inside.
 *
 * <p>Thread-safe.
 */
public final class NetNs implements AutoCloseable {
  static final int CLONE_NEWNET = 0x40000000;
  private static final long NS_GET_NSTYPE = 0xb703;
  private static final int SOL_SOCKET = 1;
  private static final int SO_NETNS_COOKIE = 71;
  private static final int AF_UNIX = 1;
  private static final int SOCK_DGRAM_CLOEXEC = 2 | 0x80000;
  private static final Path OWN = Path.of("/proc/thread-self/ns/net");

  private final Fd fd;

  private NetNs(Fd fd) {
    this.fd = fd;
  }

  private NetNs(Fd fd, String origin) {
    this(fd);
    long type = Kernel.call(Syscall.IOCTL, fd.number(), NS_GET_NSTYPE);
    if (type != CLONE_NEWNET) {
      fd.close();
      throw new NetlinkException(
          "open network namespace " + origin, Errno.EINVAL, "it is no network namespace");
    }
  }

  /** The namespace of the calling thread. */
  public static NetNs current() {
    return new NetNs(Fd.open(OWN, Fd.O_RDONLY, 0));
  }

  /**
   * The namespace at a path: a bind mount such as {@code /run/netns/blue}, or {@code
   * /proc/<pid>/ns/net}.
   */
  public static NetNs open(Path path) {
    // The path comes from others, so it may be anything.
    return new NetNs(Fd.open(path, Fd.O_RDONLY | Fd.O_NONBLOCK, 0), path.toString());
  }

  public static NetNs ofPid(long pid) {
    return open(Path.of("/proc/" + pid + "/ns/net"));
  }

  /** The namespace of a descriptor somebody else owns, for instance one received over a socket. */
  public static NetNs ofDescriptor(int descriptor) {
    return new NetNs(Fd.duplicateOf(descriptor), "by descriptor " + descriptor);
  }

  /**
   * A new namespace without a name: it ends with the last descriptor, process and mount that hold
   * it.
   */
  public static NetNs create() {
    return NamespaceThread.startUnchecked(
        "netns-create",
        () -> {
          unshare();
          return current();
        });
  }

  /** The identity of this namespace, unique while it exists. */
  public FileId id() {
    return fd.id();
  }

  /** The kernel's 64-bit number for this namespace, not reused until the machine restarts. */
  public long cookie() {
    return visit(NetNs::cookieHere);
  }

  /** The descriptor, for messages that refer to a namespace by it. Still owned by this object. */
  public int descriptor() {
    return fd.number();
  }

  /**
   * Runs something short inside and comes back. For opening sockets and reading or writing
   * /proc/sys/net; must not start threads or wait.
   */
  public <T> T visit(Supplier<T> errand) {
    return NamespaceThread.visit(this, errand);
  }

  /** Runs any code inside, on a platform thread of its own that ends with it. */
  public <T> T call(Callable<T> code) throws Exception {
    return NamespaceThread.start(
        "netns-call",
        () -> {
          enter();
          return code.call();
        });
  }

  /** Gives the calling thread a new, empty namespace. */
  static void unshare() {
    check(Kernel.call(Syscall.UNSHARE, CLONE_NEWNET), () -> "create a network namespace");
  }

  /** Moves the calling thread into this namespace. */
  void enter() {
    check(
        Kernel.call(Syscall.SETNS, descriptor(), CLONE_NEWNET), () -> "enter a network namespace");
  }

  @Override
  public void close() {
    fd.close();
  }

  private static long cookieHere() {
    try (Arena arena = Arena.ofConfined();
        Fd socket =
            Fd.owning(
                check(
                    Kernel.call(Syscall.SOCKET, AF_UNIX, SOCK_DGRAM_CLOEXEC, 0),
                    () -> "open a socket"))) {
      MemorySegment cookie = arena.allocate(JAVA_LONG);
      MemorySegment length = arena.allocateFrom(JAVA_INT, Long.BYTES);
      check(
          Kernel.call(
              Syscall.GETSOCKOPT,
              socket.number(),
              SOL_SOCKET,
              SO_NETNS_COOKIE,
              cookie.address(),
              length.address()),
          () -> "read the cookie of a network namespace");
      return cookie.get(JAVA_LONG, 0);
    }
  }
}

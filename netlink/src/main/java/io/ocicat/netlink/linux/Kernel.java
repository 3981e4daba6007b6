package io.ocicat.netlink.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Makes system calls. Every call goes through libc's {@code syscall(2)}, so a single method handle
 * serves them all: linking a handle costs milliseconds in a fresh JVM, and a one-shot plugin call
 * pays for it each time.
 *
 * <p>Thread-safe. A call blocks its carrier: use platform threads where the kernel may wait.
 */
public final class Kernel {
  private static final MethodHandle SYSCALL = link();
  private static final ThreadLocal<MemorySegment> ERRNO =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(JAVA_INT));

  private Kernel() {}

  /** Returns what the kernel returned, or the negated errno. */
  public static long call(Syscall syscall, long a, long b, long c, long d, long e, long f) {
    MemorySegment errno = ERRNO.get();
    long result;
    try {
      result = (long) SYSCALL.invokeExact(errno, (long) syscall.number(), a, b, c, d, e, f);
    } catch (Throwable t) {
      throw new AssertionError("a system call never throws", t);
    }
    return result == -1 ? -errno.get(JAVA_INT, 0) : result;
  }

  public static long call(Syscall syscall, long a) {
    return call(syscall, a, 0, 0, 0, 0, 0);
  }

  public static long call(Syscall syscall, long a, long b) {
    return call(syscall, a, b, 0, 0, 0, 0);
  }

  public static long call(Syscall syscall, long a, long b, long c) {
    return call(syscall, a, b, c, 0, 0, 0);
  }

  public static long call(Syscall syscall, long a, long b, long c, long d) {
    return call(syscall, a, b, c, d, 0, 0);
  }

  public static long call(Syscall syscall, long a, long b, long c, long d, long e) {
    return call(syscall, a, b, c, d, e, 0);
  }

  private static MethodHandle link() {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow("syscall"),
        FunctionDescriptor.of(
            JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
        Linker.Option.captureCallState("errno"),
        Linker.Option.firstVariadicArg(1));
  }
}

package io.ocicat.netlink.linux;

import java.util.function.Supplier;

/**
 * The kernel refused something, or answered what cannot be understood. The message is the operation
 * with its object, the errno by name and, where there are any, the kernel's own words: {@code add
 * route 0.0.0.0/0 via 169.254.1.1 dev eth0: Network is unreachable (ENETUNREACH): Nexthop has
 * invalid gateway}.
 */
public final class NetlinkException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String operation;
  private final int errno;

  public NetlinkException(String operation, Errno errno) {
    this(operation, errno, "");
  }

  /**
   * Says what failed, how, and why in the kernel's words.
   *
   * @param kernelSays the kernel's extended acknowledgement, empty when there was none
   */
  public NetlinkException(String operation, Errno errno, String kernelSays) {
    super(operation + ": " + errno + (kernelSays.isEmpty() ? "" : ": " + kernelSays));
    this.operation = operation;
    this.errno = errno.number();
  }

  /**
   * Passes a good result of a system call on; throws for a negated errno, saying what was tried.
   */
  public static long check(long result, Supplier<String> operation) {
    if (result < 0) {
      throw new NetlinkException(operation.get(), Errno.ofResult(result));
    }
    return result;
  }

  /** An answer that breaks the protocol's own rules. */
  public static NetlinkException malformed(String what) {
    return new NetlinkException("read the kernel's answer", Errno.EPROTO, what);
  }

  public String operation() {
    return operation;
  }

  public Errno errno() {
    return new Errno(errno);
  }

  public boolean is(Errno expected) {
    return errno == expected.number();
  }
}

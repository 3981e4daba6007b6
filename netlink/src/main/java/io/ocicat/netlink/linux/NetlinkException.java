package io.ocicat.netlink.linux;

import java.util.function.Supplier;

/**
 * The kernel refused an operation, or sent a malformed response. The message is the operation with
 * its object, the errno by name and, if there is one, the kernel's own explanation: {@code add
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
   * Returns a successful result of a system call; throws for a negated errno, naming the operation.
   */
  public static long check(long result, Supplier<String> operation) {
    if (result < 0) {
      throw new NetlinkException(operation.get(), Errno.ofResult(result));
    }
    return result;
  }

  /** A response that violates the protocol. */
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

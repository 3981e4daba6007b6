package io.ocicat.netlink;

import java.util.List;

/**
 * Is notified of every exchange with the kernel that a piece of code makes: {@code
 * ScopedValue.where(ExchangeListener.PRESENT, witness).run(code)}. It sees only the code's own
 * thread.
 */
@FunctionalInterface
public interface ExchangeListener {
  ScopedValue<ExchangeListener> PRESENT = ScopedValue.newInstance();

  /**
   * Called at the end of an exchange, on the thread that made it; must be quick.
   *
   * @param requests the requests sent; {@link NetlinkRequest#operation} describes them
   * @param startNanos by {@link System#nanoTime}
   */
  void exchanged(List<NetlinkRequest> requests, long startNanos, long endNanos);

  /** Reports an exchange if there is a listener. */
  static void report(List<NetlinkRequest> requests, long startNanos) {
    if (PRESENT.isBound()) {
      PRESENT.get().exchanged(requests, startNanos, System.nanoTime());
    }
  }
}

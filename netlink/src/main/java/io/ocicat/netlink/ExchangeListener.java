package io.ocicat.netlink;

import java.util.List;

/**
 * Is told of every exchange with the kernel that a piece of code makes: {@code
 * ScopedValue.where(ExchangeListener.PRESENT, witness).run(code)}. Only what the code does on its
 * own thread is seen.
 */
@FunctionalInterface
public interface ExchangeListener {
  ScopedValue<ExchangeListener> PRESENT = ScopedValue.newInstance();

  /**
   * Told at the end of an exchange, on the thread that made it; must be quick.
   *
   * @param requests what was asked; {@link NetlinkRequest#operation} describes it
   * @param startNanos by {@link System#nanoTime}
   */
  void exchanged(List<NetlinkRequest> requests, long startNanos, long endNanos);

  /** Notes an exchange if somebody wants to know. */
  static void tell(List<NetlinkRequest> requests, long startNanos) {
    if (PRESENT.isBound()) {
      PRESENT.get().exchanged(requests, startNanos, System.nanoTime());
    }
  }
}

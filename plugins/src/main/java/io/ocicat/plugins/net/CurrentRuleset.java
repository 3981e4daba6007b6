package io.ocicat.plugins.net;

import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.Generation;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Changes nf_tables by what it holds now. Whatever was read while the changes were thought up is
 * still true when they happen: otherwise they are thought up anew. That takes the place of a lock,
 * which other programs on the host would not take.
 */
public final class CurrentRuleset {
  private static final int ATTEMPTS = 200;
  private static final long LONGEST_PAUSE_NANOS = 2_000_000;

  private CurrentRuleset() {}

  /**
   * Performs the changes in one transaction; none is fine.
   *
   * @param plan reads what it needs and says what to change; may be asked many times
   */
  public static void change(NetnsSockets host, Supplier<List<NetlinkRequest>> plan) {
    for (int attempt = 1; ; attempt++) {
      int read = host.netfilter().find(Generation.current()).orElseThrow().id();
      try {
        host.netfilter().transactIf(read, plan.get());
        return;
      } catch (NetlinkException e) {
        if (!e.is(Errno.ERESTART) || attempt == ATTEMPTS) {
          throw e;
        }
      }
      // Many that start over at once would get into each other's way again.
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS));
    }
  }
}

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
 * Changes nf_tables depending on its current content. A transaction succeeds only if nothing
 * changed since the plan read it; otherwise the plan is computed again. This replaces a lock, which
 * other programs on the host would ignore.
 */
public final class CurrentRuleset {
  private static final int ATTEMPTS = 200;
  private static final long LONGEST_PAUSE_NANOS = 2_000_000;

  private CurrentRuleset() {}

  /**
   * Performs the changes in one transaction; an empty plan is fine.
   *
   * @param plan reads what it needs and returns the changes; may be called many times
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
      // Many callers that retry at once would get in each other's way again.
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS));
    }
  }
}

package io.ocicat.agent.bird;

import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.route.RouteFilter;
import io.ocicat.netlink.route.RouteProtocol;
import io.ocicat.netlink.route.Routes;
import java.time.Duration;

/** The routes that BIRD has written to the kernel. */
final class BirdRoutesInKernel {
  private static final long PAUSE_MILLIS = 5;

  private BirdRoutesInKernel() {}

  /** Waits until none is left, or the limit has passed. */
  static void awaitNone(NetNs host, Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    try (NetlinkSocket kernel = NetlinkSocket.open(Protocol.ROUTE, host)) {
      while (exist(kernel) && System.nanoTime() - deadline < 0) {
        Thread.sleep(PAUSE_MILLIS);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean exist(NetlinkSocket kernel) {
    for (IpFamily family : IpFamily.values()) {
      if (!kernel
          .list(Routes.list(RouteFilter.main(family).protocol(RouteProtocol.BIRD)))
          .isEmpty()) {
        return true;
      }
    }
    return false;
  }
}

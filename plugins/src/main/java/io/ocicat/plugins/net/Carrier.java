package io.ocicat.plugins.net;

import io.ocicat.base.Deadline;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.netlink.Monitor;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.route.Device;
import java.time.Duration;

/**
 * Waits for the carrier of a veth end, without which it cannot send. Until the other end is up,
 * packets are dropped, and the kernel updates the state of the end that came up first with a delay;
 * since Linux 6.8, at the latest when somebody asks.
 */
public final class Carrier {
  private static final Duration TIMEOUT = Duration.ofMillis(2500);

  private Carrier() {}

  /**
   * Waits until packets can be sent, usually not at all.
   *
   * @throws CniException when they cannot in time
   */
  public static void await(NetnsSockets net, Device end, Deadline deadline) {
    if (isRunning(net, end)) {
      return;
    }
    Deadline limit = deadline.atMost(TIMEOUT);
    try (Monitor<Link> changes = Monitor.open(net.namespace(), Links.CHANGES)) {
      while (!isRunning(net, end)) {
        if (limit.hasPassed() || changes.poll(limit.remaining()).isEmpty()) {
          throw new CniException(
              ErrorCode.INTERNAL,
              "interface \"%s\" has no carrier".formatted(end.name()),
              "both ends of the veth pair were brought up, but something sets one down again");
        }
      }
    }
  }

  private static boolean isRunning(NetnsSockets net, Device end) {
    return net.route()
        .find(Links.byIndex(end.index()))
        .orElseThrow(
            () ->
                new CniException(
                    ErrorCode.INTERNAL, "interface \"%s\" is gone".formatted(end.name())))
        .isRunning();
  }
}

package io.ocicat.plugins.bridge;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.exec.Deadline;
import io.ocicat.netlink.Monitor;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.plugins.net.Net;
import io.ocicat.plugins.net.VethPair;
import java.time.Duration;

/**
 * Whether frames can pass a port. They can once both ends of its cable are up; before Linux 6.8 the
 * kernel may say so a moment later.
 */
final class Carrier {
  private static final Duration PATIENCE = Duration.ofMillis(2550);

  private Carrier() {}

  /**
   * Waits until the port runs; usually it does.
   *
   * @throws CniException when it does not in time
   */
  static void await(Net host, VethPair.End port, Deadline deadline) {
    if (isRunning(host, port)) {
      return;
    }
    Deadline limit = deadline.atMost(PATIENCE);
    try (Monitor<Link> changes = Monitor.open(host.namespace(), Links.CHANGES)) {
      while (!isRunning(host, port)) {
        if (limit.hasPassed() || changes.poll(limit.remaining()).isEmpty()) {
          throw new CniException(
              ErrorCode.INTERNAL,
              "bridge port in error state: \"%s\" has no carrier".formatted(port.name()),
              "both ends of the cable were brought up: somebody takes one down again");
        }
      }
    }
  }

  private static boolean isRunning(Net host, VethPair.End port) {
    return host.route()
        .find(Links.byIndex(port.index()))
        .orElseThrow(
            () ->
                new CniException(
                    ErrorCode.INTERNAL,
                    "bridge port in error state: \"%s\" is gone".formatted(port.name())))
        .isRunning();
  }
}

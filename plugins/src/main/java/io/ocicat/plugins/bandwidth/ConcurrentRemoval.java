package io.ocicat.plugins.bandwidth;

import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.RequestOutcome;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import java.util.List;
import java.util.Optional;

/**
 * Removes kernel objects that may disappear on their own at the same moment, such as a veth with
 * its namespace.
 */
final class ConcurrentRemoval {
  private ConcurrentRemoval() {}

  /**
   * Tries all of them; one that is already gone is not an error.
   *
   * @throws NetlinkException the first other failure
   */
  static void perform(NetlinkSocket net, List<NetlinkRequest> requests) {
    Optional<NetlinkException> failure =
        net.attempt(requests).stream()
            .map(RequestOutcome::failure)
            .flatMap(Optional::stream)
            .filter(e -> !e.is(Errno.ENODEV) && !e.is(Errno.ENOENT))
            .findFirst();
    if (failure.isPresent()) {
      throw failure.get();
    }
  }
}

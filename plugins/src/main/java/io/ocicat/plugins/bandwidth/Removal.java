package io.ocicat.plugins.bandwidth;

import io.ocicat.netlink.NetlinkException;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Outcome;
import io.ocicat.netlink.Request;
import io.ocicat.netlink.linux.Errno;
import java.util.List;
import java.util.Optional;

/** Takes things away that may go by themselves at the same moment, as a veth with its namespace. */
final class Removal {
  private Removal() {}

  /**
   * Tries all of them; gone already is fine.
   *
   * @throws NetlinkException the first other failure
   */
  static void perform(NetlinkSocket net, List<Request> requests) {
    Optional<NetlinkException> failure =
        net.attempt(requests).stream()
            .map(Outcome::failure)
            .flatMap(Optional::stream)
            .filter(e -> !e.is(Errno.ENODEV) && !e.is(Errno.ENOENT))
            .findFirst();
    if (failure.isPresent()) {
      throw failure.get();
    }
  }
}

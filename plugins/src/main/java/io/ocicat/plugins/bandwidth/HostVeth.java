package io.ocicat.plugins.bandwidth;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.Result;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.Optional;

/** Finds the host end of a container's veth pair, where its traffic can be shaped. */
final class HostVeth {
  private static final String VETH = "veth";

  private HostVeth() {}

  /**
   * The host end, which must exist and be in the result of the previous plugins.
   *
   * @throws CniException saying which of these does not hold
   */
  static Link of(NetnsSockets host, NetnsSockets container, String ifName, Result previous) {
    if (previous.interfaces().isEmpty()) {
      throw refuse("no interfaces provided", "prevResult must name the host's end of the veth");
    }
    Link inside =
        container.link(ifName).orElseThrow(() -> withoutPeer(ifName, "there is no such interface"));
    if (!inside.kind().equals(VETH)) {
      throw withoutPeer(
          ifName, inside.kind().isEmpty() ? "it is no veth" : "it is a " + inside.kind());
    }
    Link outside =
        peer(host, inside)
            .orElseThrow(
                () ->
                    refuse(
                        "veth peer with index %d is not in host ns".formatted(inside.peer()),
                        "the other end of \"%s\" must be where the plugin runs".formatted(ifName)));
    if (previous.interfaces().stream()
        .noneMatch(i -> i.isOnHost() && i.name().equals(outside.name()))) {
      throw refuse(
          "no veth peer of container interface found in host ns",
          "prevResult.interfaces does not name \"%s\", the other end of \"%s\""
              .formatted(outside.name(), ifName));
    }
    return outside;
  }

  /** The host end if it still exists, for DEL. */
  static Optional<Link> remaining(NetnsSockets host, NetnsSockets container, String ifName) {
    return container
        .link(ifName)
        .filter(inside -> inside.kind().equals(VETH))
        .flatMap(inside -> peer(host, inside));
  }

  /**
   * An index is only meaningful in its own namespace: the link that has it here is the peer only if
   * it names the container's interface as its peer, too.
   */
  private static Optional<Link> peer(NetnsSockets host, Link inside) {
    return inside.peer() == 0
        ? Optional.empty()
        : host.route()
            .find(Links.byIndex(inside.peer()))
            .filter(link -> link.kind().equals(VETH) && link.peer() == inside.index());
  }

  private static CniException withoutPeer(String ifName, String why) {
    return refuse(
        "container interface %s has no veth peer: %s".formatted(ifName, why),
        "only containers on a veth can be shaped");
  }

  private static CniException refuse(String what, String details) {
    return new CniException(ErrorCode.INTERNAL, what, details);
  }
}

package io.ocicat.agent.startup;

import io.ocicat.datastore.model.IpPool;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Finds pools that contain a network the host is in. Packets to that network are taken for packets
 * to pods: they are not masqueraded, and no machine there answers a pod.
 */
final class PoolOverlaps {
  private PoolOverlaps() {}

  /** Returns a line for each overlap. */
  static List<String> find(Collection<IpPool> pools, Collection<HostInterface> interfaces) {
    List<String> found = new ArrayList<>();
    for (IpPool pool : pools) {
      for (HostInterface one : interfaces) {
        for (IpPrefix address : one.addresses()) {
          if (!address.address().isLinkLocal() && address.overlaps(pool.cidr())) {
            found.add(
                "IPPool %s (%s) overlaps %s of interface %s: pods cannot reach machines there; choose another range for the pool"
                    .formatted(pool.name(), pool.cidr(), address.network(), one.name()));
          }
        }
      }
    }
    return found;
  }
}

package io.ocicat.plugins.calico;

import io.ocicat.datastore.Kind;
import io.ocicat.datastore.Query;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.plugins.calicocluster.Backend;
import io.ocicat.plugins.masquerade.Masquerade;
import io.ocicat.plugins.net.Net;
import io.ocicat.plugins.net.Owner;
import java.util.List;
import java.util.Optional;

/**
 * Masquerades what leaves a pool with {@code natOutgoing}. With Kubernetes as datastore there is
 * Felix, which does it for the whole node; elsewhere nobody else may be there.
 */
final class NatOutgoing {
  private NatOutgoing() {}

  /** The addresses that are to be hidden, each with the length of its pool's prefix. */
  static List<IpPrefix> of(Backend backend, List<IpAddress> addresses) {
    if (backend.isKubernetes()) {
      return List.of();
    }
    List<IpPool> pools =
        Backend.attempt(
            "error listing IP pools",
            () ->
                backend.datastore().list(Query.of(Kind.IP_POOL)).items().stream()
                    .map(IpPool::of)
                    .filter(IpPool::natOutgoing)
                    .toList());
    return addresses.stream().flatMap(address -> hidden(pools, address).stream()).toList();
  }

  private static Optional<IpPrefix> hidden(List<IpPool> pools, IpAddress address) {
    return pools.stream()
        .filter(pool -> pool.cidr().contains(address))
        .findFirst()
        .map(pool -> IpPrefix.of(address, pool.cidr().length()));
  }

  static void install(Net host, Owner owner, List<IpPrefix> hidden) {
    if (!hidden.isEmpty()) {
      Masquerade.install(host, owner, hidden);
    }
  }
}

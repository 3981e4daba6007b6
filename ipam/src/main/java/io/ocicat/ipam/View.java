package io.ocicat.ipam;

import io.ocicat.datastore.IpVersion;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.model.IpamConfig;
import java.util.Map;

/**
 * What one look at the surroundings of a request came to.
 *
 * @param labels the node's; none for who is on no node
 * @param host the blocks of who asks
 */
record View(
    Map<String, String> labels,
    PoolChoice choice,
    Reservations reservations,
    Known<IpamConfig> config,
    HostBlocks host) {

  static View of(
      Surroundings surroundings,
      HostBlocks.Register hosts,
      AutoAssignRequest request,
      IpVersion version) {
    Map<String, String> labels =
        request.use() == IpPool.Use.LOAD_BALANCER ? Map.of() : surroundings.labels(request.host());
    return new View(
        labels,
        PoolChoice.of(surroundings.pools(), request, version, labels, request.reserved(version)),
        surroundings.reservations(),
        surroundings.config(),
        hosts.of(request.owner(), version));
  }

  /** Whether only a block's owner may take from it. */
  boolean isStrict() {
    return config.value().strictAffinity();
  }
}

package io.ocicat.plugins.calicoipam;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.AssignmentResult;
import io.ocicat.ipam.model.PoolUse;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Explains why no address could be allocated. */
final class NoAddressReason {
  private NoAddressReason() {}

  static CniException of(Ipam ipam, AssignmentResult family) {
    return new CniException(
        ErrorCode.TRY_AGAIN_LATER,
        "failed to request %s addresses: %s"
            .formatted(family.version() == IpVersion.V4 ? "IPv4" : "IPv6", family.explanation()),
        details(ipam, family.version()));
  }

  private static String details(Ipam ipam, IpVersion version) {
    String advice = "`ocicat ipam check` finds addresses that nobody uses any more";
    try {
      String pools =
          ipam.utilisation(List.of()).stream()
              .flatMap(pool -> describe(pool, version).stream())
              .collect(Collectors.joining(", "));
      return pools.isEmpty() ? advice : pools + "; " + advice;
    } catch (DatastoreException _) {
      return advice;
    }
  }

  private static Optional<String> describe(PoolUse pool, IpVersion version) {
    return Optional.ofNullable(pool.cidr())
        .filter(cidr -> IpVersion.of(cidr) == version)
        .map(
            cidr ->
                "pool \"%s\" (%s): %d of %s in use"
                    .formatted(pool.pool().orElse(""), cidr, pool.inUse(), pool.capacity()));
  }
}

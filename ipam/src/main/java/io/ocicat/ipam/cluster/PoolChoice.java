package io.ocicat.ipam.cluster;

import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.model.AutoAssignRequest;
import io.ocicat.ipam.model.HostReserved;
import io.ocicat.ipam.model.IpamException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The pools that a request may use.
 *
 * @param enabled the enabled pools of the request's family
 * @param matching those of them that were requested, or that select node and namespace
 * @param usable those of them that allow the use, in the order to try them
 */
public record PoolChoice(
    List<Revisioned<IpPool>> enabled,
    List<Revisioned<IpPool>> matching,
    List<Revisioned<IpPool>> usable) {

  /**
   * Selects the pools for a request.
   *
   * @param labels the node's labels
   * @param reserved what the host reserves in each block; null for nothing
   */
  public static PoolChoice of(
      PoolList pools,
      AutoAssignRequest request,
      IpVersion version,
      Map<String, String> labels,
      @Nullable HostReserved reserved) {
    String family = version == IpVersion.V4 ? "IPv4" : "IPv6";
    int bits = version == IpVersion.V4 ? 32 : 128;
    int longest = reserved == null ? bits : reserved.longestBlock(bits);
    List<Revisioned<IpPool>> enabled =
        pools.all().stream()
            .filter(pool -> pool.value().enabled() && pool.value().version() == version)
            .toList();
    List<Revisioned<IpPool>> large =
        enabled.stream().filter(pool -> pool.value().blockSize() <= longest).toList();
    if (large.isEmpty()) {
      throw new IpamException(
          IpamException.Reason.NO_POOL,
          enabled.isEmpty()
              ? "there is no enabled %s pool: create one%s"
                  .formatted(family, pools.unreadableSuffix())
              : "no %s pool has blocks large enough for the addresses that node %s reserves: they need /%d"
                  .formatted(family, request.host(), longest));
    }
    List<Revisioned<IpPool>> matching =
        request.pools(version).isEmpty()
            ? selecting(large, request, labels)
            : requested(pools.all(), large, request.pools(version));
    if (matching.isEmpty()) {
      throw new IpamException(
          IpamException.Reason.NO_POOL,
          "none of the %d enabled %s pools selects node %s and its pod's namespace: %s"
              .formatted(large.size(), family, request.host(), selectors(large)));
    }
    List<Revisioned<IpPool>> usable =
        matching.stream().filter(pool -> pool.value().allows(request.use())).toList();
    if (usable.isEmpty()) {
      throw new IpamException(
          IpamException.Reason.NO_POOL,
          "none of the %s pools %s allows the use %s: see their allowedUses"
              .formatted(family, names(matching), request.use().text()));
    }
    return new PoolChoice(enabled, matching, usable);
  }

  private static List<Revisioned<IpPool>> selecting(
      List<Revisioned<IpPool>> pools, AutoAssignRequest request, Map<String, String> labels) {
    return pools.stream()
        .filter(
            pool ->
                pool.value().automatic()
                    && pool.value().nodeSelector().matches(labels)
                    && pool.value().namespaceSelector().matches(request.namespaceLabels()))
        .toList();
  }

  private static List<Revisioned<IpPool>> requested(
      List<Revisioned<IpPool>> all, List<Revisioned<IpPool>> enabled, List<IpPrefix> cidrs) {
    List<Revisioned<IpPool>> found = new ArrayList<>();
    for (IpPrefix cidr : cidrs) {
      found.add(
          ofCidr(enabled, cidr)
              .orElseThrow(
                  () ->
                      new IpamException(
                          IpamException.Reason.POOL_NOT_USABLE,
                          // Other programs match Calico's wording.
                          "the given pool (%s) does not exist, or is not enabled: %s"
                              .formatted(
                                  cidr,
                                  ofCidr(all, cidr).isPresent()
                                      ? "it is disabled, being deleted, or has blocks too small:"
                                          + " enable it or ask for another"
                                      : "create it or ask for another"))));
    }
    return found;
  }

  private static Optional<Revisioned<IpPool>> ofCidr(
      List<Revisioned<IpPool>> pools, IpPrefix cidr) {
    return pools.stream().filter(pool -> pool.value().cidr().equals(cidr)).findFirst();
  }

  private static String selectors(List<Revisioned<IpPool>> pools) {
    return String.join(
        ", ",
        pools.stream()
            .limit(5)
            .map(
                pool ->
                    "%s requires node %s, namespace %s%s"
                        .formatted(
                            pool.value().name(),
                            pool.value().nodeSelector(),
                            pool.value().namespaceSelector(),
                            pool.value().automatic() ? "" : " and to be asked for by name"))
            .toList());
  }

  private static String names(List<Revisioned<IpPool>> pools) {
    return String.join(", ", pools.stream().map(pool -> pool.value().name()).toList());
  }

  public static Optional<Revisioned<IpPool>> containing(
      List<Revisioned<IpPool>> pools, IpAddress address) {
    return pools.stream().filter(pool -> pool.value().cidr().contains(address)).findFirst();
  }

  /** Returns the usable pool that contains a block. */
  public Optional<Revisioned<IpPool>> usablePool(IpPrefix block) {
    return containing(usable, block.first());
  }

  public boolean matches(IpPrefix block) {
    return containing(matching, block.first()).isPresent();
  }
}

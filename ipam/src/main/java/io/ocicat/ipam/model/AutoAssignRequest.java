package io.ocicat.ipam.model;

import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.AffinityType;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request for any free addresses. Created by {@link #on} and refined by the {@code with…}
 * methods.
 *
 * @param host whose blocks they come from first; a node that the datastore knows
 * @param v4 how many IPv4 addresses
 * @param v6 how many IPv6 addresses
 * @param handle what they are found and released by; null for none
 * @param attributes who they are for, as in {@link CalicoConventions}
 * @param v4Pools the pools to assign IPv4 from, in this order; empty for those that select the node
 * @param v6Pools the same for IPv6
 * @param maxBlocks how many blocks the host may own; 0 for the configured limit
 * @param v4Reserved what the host reserves in each IPv4 block; null for nothing
 * @param v6Reserved the same for IPv6
 * @param namespaceLabels of the pod's namespace, for pools that select namespaces
 * @param maxPerHandle how many addresses of a family the handle may have, 0 for any number: when it
 *     has that many already, those are the result
 */
public record AutoAssignRequest(
    String host,
    int v4,
    int v6,
    @Nullable String handle,
    Map<String, String> attributes,
    List<IpPrefix> v4Pools,
    List<IpPrefix> v6Pools,
    int maxBlocks,
    @Nullable HostReserved v4Reserved,
    @Nullable HostReserved v6Reserved,
    IpPool.Use use,
    Map<String, String> namespaceLabels,
    int maxPerHandle) {

  public AutoAssignRequest {
    attributes = Map.copyOf(attributes);
    v4Pools = v4Pools.stream().map(IpPrefix::network).toList();
    v6Pools = v6Pools.stream().map(IpPrefix::network).toList();
    namespaceLabels = Map.copyOf(namespaceLabels);
    if (v4 < 0 || v6 < 0 || maxBlocks < 0 || maxPerHandle < 0) {
      throw new IpamException(
          IpamException.Reason.INVALID_REQUEST,
          "numbers of addresses and blocks must not be negative: %d IPv4, %d IPv6, %d blocks, %d per handle"
              .formatted(v4, v6, maxBlocks, maxPerHandle));
    }
    if (host.isEmpty()) {
      throw new IpamException(IpamException.Reason.INVALID_REQUEST, "the host's name is missing");
    }
    checkFamily(v4Pools, true);
    checkFamily(v6Pools, false);
  }

  private static void checkFamily(List<IpPrefix> pools, boolean v4) {
    for (IpPrefix pool : pools) {
      if (pool.isV4() != v4) {
        throw new IpamException(
            IpamException.Reason.POOL_NOT_USABLE,
            "pool %s has no %s addresses".formatted(pool, v4 ? "IPv4" : "IPv6"));
      }
    }
  }

  /** Starts a request without addresses yet, for a workload on this host. */
  public static AutoAssignRequest on(String host) {
    return new AutoAssignRequest(
        host,
        0,
        0,
        null,
        Map.of(),
        List.of(),
        List.of(),
        0,
        null,
        null,
        IpPool.Use.WORKLOAD,
        Map.of(),
        0);
  }

  /** Sets how many addresses of each family to assign. */
  public AutoAssignRequest withCounts(int v4, int v6) {
    return new AutoAssignRequest(
        host,
        v4,
        v6,
        handle,
        attributes,
        v4Pools,
        v6Pools,
        maxBlocks,
        v4Reserved,
        v6Reserved,
        use,
        namespaceLabels,
        maxPerHandle);
  }

  public AutoAssignRequest withHandle(String handle, Map<String, String> attributes) {
    return new AutoAssignRequest(
        host,
        v4,
        v6,
        handle,
        attributes,
        v4Pools,
        v6Pools,
        maxBlocks,
        v4Reserved,
        v6Reserved,
        use,
        namespaceLabels,
        maxPerHandle);
  }

  /** Restricts the request to these pools, of either family. */
  public AutoAssignRequest withPools(List<IpPrefix> pools) {
    return withPools(
        pools.stream().filter(IpPrefix::isV4).toList(),
        pools.stream().filter(IpPrefix::isV6).toList());
  }

  public AutoAssignRequest withPools(List<IpPrefix> v4Pools, List<IpPrefix> v6Pools) {
    return new AutoAssignRequest(
        host,
        v4,
        v6,
        handle,
        attributes,
        v4Pools,
        v6Pools,
        maxBlocks,
        v4Reserved,
        v6Reserved,
        use,
        namespaceLabels,
        maxPerHandle);
  }

  public AutoAssignRequest withMaxBlocks(int maxBlocks) {
    return new AutoAssignRequest(
        host,
        v4,
        v6,
        handle,
        attributes,
        v4Pools,
        v6Pools,
        maxBlocks,
        v4Reserved,
        v6Reserved,
        use,
        namespaceLabels,
        maxPerHandle);
  }

  public AutoAssignRequest withReserved(
      @Nullable HostReserved v4Reserved, @Nullable HostReserved v6Reserved) {
    return new AutoAssignRequest(
        host,
        v4,
        v6,
        handle,
        attributes,
        v4Pools,
        v6Pools,
        maxBlocks,
        v4Reserved,
        v6Reserved,
        use,
        namespaceLabels,
        maxPerHandle);
  }

  public AutoAssignRequest withUse(IpPool.Use use) {
    return new AutoAssignRequest(
        host,
        v4,
        v6,
        handle,
        attributes,
        v4Pools,
        v6Pools,
        maxBlocks,
        v4Reserved,
        v6Reserved,
        use,
        namespaceLabels,
        maxPerHandle);
  }

  public AutoAssignRequest withNamespace(Map<String, String> namespaceLabels) {
    return new AutoAssignRequest(
        host,
        v4,
        v6,
        handle,
        attributes,
        v4Pools,
        v6Pools,
        maxBlocks,
        v4Reserved,
        v6Reserved,
        use,
        namespaceLabels,
        maxPerHandle);
  }

  public AutoAssignRequest withMaxPerHandle(int maxPerHandle) {
    return new AutoAssignRequest(
        host,
        v4,
        v6,
        handle,
        attributes,
        v4Pools,
        v6Pools,
        maxBlocks,
        v4Reserved,
        v6Reserved,
        use,
        namespaceLabels,
        maxPerHandle);
  }

  public int count(IpVersion version) {
    return version == IpVersion.V4 ? v4 : v6;
  }

  public List<IpPrefix> pools(IpVersion version) {
    return version == IpVersion.V4 ? v4Pools : v6Pools;
  }

  public @Nullable HostReserved reserved(IpVersion version) {
    return version == IpVersion.V4 ? v4Reserved : v6Reserved;
  }

  /** The owner of newly claimed blocks. */
  public BlockOwner owner() {
    AffinityType type = use == IpPool.Use.LOAD_BALANCER ? AffinityType.VIRTUAL : AffinityType.HOST;
    return new BlockOwner(type, host);
  }
}

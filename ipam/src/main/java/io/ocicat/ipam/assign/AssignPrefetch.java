package io.ocicat.ipam.assign;

import io.ocicat.datastore.Prefetch;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.ipam.block.HostBlocks;
import io.ocicat.ipam.cluster.ClusterView;
import io.ocicat.ipam.cluster.ConcurrentClusterView;
import io.ocicat.ipam.model.BlockOwner;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The reads that an assignment needs, started before it, while the caller reads other things. Saves
 * a round trip where they cannot be answered from a cache. For one assignment.
 */
public final class AssignPrefetch {
  /** The read of a host's blocks of one family, no older than {@code since}. */
  public record Listed(long since, Prefetch<?> blocks) {}

  private final HostBlocks.Register hosts;
  private final BlockOwner owner;
  private final ClusterView view;
  private final Map<IpVersion, Listed> listed = new EnumMap<>(IpVersion.class);

  private AssignPrefetch(HostBlocks.Register hosts, BlockOwner owner, ClusterView view) {
    this.hosts = hosts;
    this.owner = owner;
    this.view = view;
  }

  /**
   * Starts all reads.
   *
   * @param node the node whose labels are needed; null for none
   */
  static AssignPrefetch start(
      ClusterView view,
      HostBlocks.Register hosts,
      BlockOwner owner,
      @Nullable String node,
      List<IpVersion> versions) {
    ConcurrentClusterView concurrent = new ConcurrentClusterView(view, node);
    concurrent.startReads();
    AssignPrefetch prefetch = new AssignPrefetch(hosts, owner, concurrent);
    for (IpVersion version : versions) {
      HostBlocks host = hosts.of(owner, version);
      long since = host.now();
      prefetch.listed.put(version, new Listed(since, Prefetch.start(() -> host.list(since))));
    }
    return prefetch;
  }

  /** Whether these are the blocks of this owner, in this register. */
  boolean isFor(BlockOwner wanted, HostBlocks.Register register) {
    return owner.equals(wanted) && hosts.equals(register);
  }

  public ClusterView view() {
    return view;
  }

  /** Null when that family was not requested. */
  @Nullable Listed listed(IpVersion version) {
    return listed.get(version);
  }
}

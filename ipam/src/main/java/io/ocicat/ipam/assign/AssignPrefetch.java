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
 * What a request for addresses has to know, asked for before the request is made: with a datastore
 * in which it must be read each time, and which is far away, that is a round trip less for whoever
 * has other things to ask first. Good for one request.
 */
public final class AssignPrefetch {
  /** Blocks of a family, as they are listed since a certain moment. */
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
   * Asks all of it at the same time.
   *
   * @param node whose labels are needed; null when none are
   */
  public static AssignPrefetch ask(
      ClusterView view,
      HostBlocks.Register hosts,
      BlockOwner owner,
      @Nullable String node,
      List<IpVersion> versions) {
    ConcurrentClusterView around = new ConcurrentClusterView(view, node);
    around.ask();
    AssignPrefetch asked = new AssignPrefetch(hosts, owner, around);
    for (IpVersion version : versions) {
      HostBlocks host = hosts.of(owner, version);
      long since = host.now();
      asked.listed.put(version, new Listed(since, Prefetch.start(() -> host.list(since))));
    }
    return asked;
  }

  /** Whether they were asked for the blocks of that owner, by who keeps them here. */
  public boolean areFor(BlockOwner who, HostBlocks.Register of) {
    return owner.equals(who) && hosts.equals(of);
  }

  public ClusterView view() {
    return view;
  }

  /** Null when that family was not asked for. */
  public @Nullable Listed listed(IpVersion version) {
    return listed.get(version);
  }
}

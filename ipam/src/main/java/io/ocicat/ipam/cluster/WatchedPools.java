package io.ocicat.ipam.cluster;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceQuery;
import java.time.Duration;
import java.util.List;

/**
 * The pools of a datastore, watched from the first use on. Does not own the datastore. Thread-safe.
 */
public final class WatchedPools implements AutoCloseable {
  /** A watch may be cut off without noticing; pools change rarely, and many nodes list them. */
  private static final Duration LONGEST = Duration.ofMinutes(5);

  private final WatchedList<PoolList> pools;

  public WatchedPools(Datastore datastore) {
    this.pools =
        new WatchedList<>(
            datastore, ResourceQuery.of(Kind.IP_POOL), PoolList::of, System::nanoTime, LONGEST);
  }

  /** Returns all readable pools, including disabled ones. */
  public List<IpPool> get() {
    return pools.get().all().stream().map(Revisioned::value).toList();
  }

  @Override
  public void close() {
    pools.close();
  }
}

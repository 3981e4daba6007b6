package io.ocicat.plugins.calicoipam;

import io.ocicat.datastore.Datastore;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.ClockAndRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The IPAM instances of a process, one per datastore. An instance that is used more often than a
 * single attachment would belongs to a daemon: from then on watches keep pools, nodes and settings
 * up to date. Before that, watches would cost more than they save. Concurrent calls share their
 * writes either way. Thread-safe; the owner of the datastores ends the watches by closing these.
 */
final class IpamCache {
  /** One ADD uses it once per family, and DEL when the second family fails. */
  private static final int CALLS_OF_ONE_ATTACHMENT = 3;

  private final Map<Datastore, Kept> byDatastore = new HashMap<>();

  private static final class Kept {
    private Ipam ipam;
    private int calls;

    private Kept(Ipam ipam) {
      this.ipam = ipam;
    }
  }

  /** The one that was given last; gives none, and counts as no call. */
  synchronized Optional<Ipam> find(Datastore datastore) {
    return Optional.ofNullable(byDatastore.get(datastore)).map(kept -> kept.ipam);
  }

  synchronized Ipam of(Datastore datastore) {
    Kept kept =
        byDatastore.computeIfAbsent(
            datastore, it -> new Kept(Ipam.forOneCall(it, ClockAndRandom.ofSystem())));
    if (++kept.calls == CALLS_OF_ONE_ATTACHMENT + 1) {
      kept.ipam = Ipam.resident(datastore, ClockAndRandom.ofSystem());
    }
    return kept.ipam;
  }
}

package io.ocicat.plugins.calicoipam;

import io.ocicat.datastore.Datastore;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.ClockAndRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * IPAM for the datastores of a process. One that is asked more often than a single attachment ever
 * does belongs to a daemon: from then on pools, nodes and settings are kept at hand by watches.
 * Before, watches would cost more than they save. Calls at the same time share their writes either
 * way. Thread-safe; the datastores' owner ends the watches by closing these.
 */
final class IpamCache {
  /** ADD of each family by itself, and DEL when the second of them fails. */
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

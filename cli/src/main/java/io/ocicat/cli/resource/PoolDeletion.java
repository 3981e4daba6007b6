package io.ocicat.cli.resource;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.ClockAndRandom;
import java.time.Duration;

/**
 * Prepares the deletion of a pool, as Calico does: disables it, and makes nodes release its blocks.
 * Empty blocks are gone then, and the pool can be created again with another block size; blocks
 * with addresses in use stay, without an affinity, until the last address is released.
 */
final class PoolDeletion {
  /** For plugins that chose the pool before it was disabled. Calico's own waits as long. */
  private static final Duration GRACE = Duration.ofMillis(500);

  private PoolDeletion() {}

  /**
   * Prepares.
   *
   * @return what is to be deleted now
   */
  static Resource prepare(Datastore datastore, Resource wanted) {
    Resource pool;
    try {
      pool = datastore.get(wanted.key());
    } catch (NotFoundException _) {
      return wanted;
    }
    if (!wanted.revision().isEmpty() && !wanted.revision().equals(pool.revision())) {
      throw new ConflictException(
          "%s is of revision %s, not %s as metadata.resourceVersion says: read it again, or leave that out"
              .formatted(wanted.describe(), pool.revision(), wanted.revision()));
    }
    if (IpPool.of(pool).enabled()) {
      ResourceChange.update(
          datastore,
          pool.key(),
          stored -> stored.edit(document -> document.withObject("spec").put("disabled", true)));
      pause();
    }
    try (Ipam ipam = Ipam.forOneCall(datastore, ClockAndRandom.ofSystem())) {
      ipam.releasePoolAffinities(IpPool.of(pool).cidr());
    }
    return wanted.withRevision("");
  }

  private static void pause() {
    try {
      Thread.sleep(GRACE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("interrupted; the pool is disabled and not deleted", e);
    }
  }
}

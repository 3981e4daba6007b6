package io.ocicat.ipam.assign;

import io.ocicat.datastore.Prefetch;
import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.ipam.cluster.IpamRecords;
import java.util.Optional;

/**
 * The read of a handle, started before its addresses are released, while the caller does other
 * work.
 *
 * @param id as it is stored
 */
public record ReleasePrefetch(
    String id, Prefetch<Optional<IpamRecords.Stored<IpamHandle>>> handle) {
  /** Returns the handle, if it is the wanted one and existed. */
  public Optional<IpamRecords.Stored<IpamHandle>> find(String wanted) {
    return id.equals(wanted) ? handle.get() : Optional.empty();
  }
}

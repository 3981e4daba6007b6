package io.ocicat.ipam.assign;

import io.ocicat.datastore.Prefetch;
import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.ipam.cluster.IpamRecords;
import java.util.Optional;

/**
 * A handle, asked for before it is released: for whoever has other things to do first.
 *
 * @param id as it is stored
 */
public record ReleasePrefetch(
    String id, Prefetch<Optional<IpamRecords.Stored<IpamHandle>>> handle) {
  /** The handle, if it was this one that was asked for and it was there. */
  public Optional<IpamRecords.Stored<IpamHandle>> find(String wanted) {
    return id.equals(wanted) ? handle.get() : Optional.empty();
  }
}

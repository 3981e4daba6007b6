package io.ocicat.ipam.cluster;

import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.Write;

/**
 * A value with the revision it was read at, which a later write can depend on.
 *
 * @param revision empty when the resource does not exist
 */
public record Revisioned<T>(T value, ResourceKey key, String revision) {

  /** The condition that the resource is unchanged. */
  public Write.Expect asCondition() {
    return new Write.Expect(key, revision);
  }
}

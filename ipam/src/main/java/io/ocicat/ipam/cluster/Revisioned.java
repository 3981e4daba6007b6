package io.ocicat.ipam.cluster;

import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.Write;

/**
 * Something that was read, to be relied on.
 *
 * @param revision empty when there is no such resource
 */
public record Revisioned<T>(T value, ResourceKey key, String revision) {

  /** That it is still so. */
  public Write.Expect asCondition() {
    return new Write.Expect(key, revision);
  }
}

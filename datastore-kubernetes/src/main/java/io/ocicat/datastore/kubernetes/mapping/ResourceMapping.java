package io.ocicat.datastore.kubernetes.mapping;

import io.ocicat.datastore.kubernetes.client.CollectionWatch;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A mapping of some kinds of resources to Kubernetes objects. Thread-safe. */
public interface ResourceMapping {
  /** Creates an admitted resource. */
  Resource create(Resource resource);

  /** Updates an admitted resource. */
  Resource update(Resource resource);

  Resource delete(ResourceKey key, @Nullable String revision);

  /** Deletes a resource if it is unchanged since it was read. */
  default Resource delete(Resource read) {
    return delete(read.key(), read.revision());
  }

  Resource get(ResourceKey key);

  ResourcePage list(ResourceQuery query, int limit, @Nullable String next);

  /** Returns what must be watched to see the changes after a revision. */
  List<CollectionWatch.Source> changes(ResourceQuery query, String revision);
}

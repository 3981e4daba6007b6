package io.ocicat.datastore.kubernetes.mapping;

import io.ocicat.datastore.kubernetes.client.CollectionWatch;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The objects of Kubernetes that stand for some kinds of resources. Thread-safe. */
public interface ResourceMapping {
  /** Of what was admitted. */
  Resource create(Resource resource);

  /** Of what was admitted. */
  Resource update(Resource resource);

  Resource delete(ResourceKey key, @Nullable String revision);

  /** Of what was read, and not written since. */
  default Resource delete(Resource read) {
    return delete(read.key(), read.revision());
  }

  Resource get(ResourceKey key);

  ResourcePage list(ResourceQuery query, int limit, @Nullable String next);

  /** What must be followed to see the changes behind a revision. */
  List<CollectionWatch.Source> changes(ResourceQuery query, String revision);
}

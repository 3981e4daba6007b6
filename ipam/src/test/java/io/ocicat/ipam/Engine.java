package io.ocicat.ipam;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.util.Map;

/** An empty datastore for one test. */
interface Engine extends AutoCloseable {
  Datastore datastore();

  /** Creates a node, or changes its labels. */
  default void node(String name, Map<String, String> labels) {
    ResourceKey.Named key = new ResourceKey.Named(Kind.NODE, "", name);
    Resource node;
    try {
      node = datastore().get(key);
    } catch (NotFoundException _) {
      node = datastore().create(Resource.of(key, _ -> {}));
    }
    datastore()
        .update(
            node.edit(
                document -> {
                  document.withObject("/metadata/labels").removeAll();
                  labels.forEach((k, v) -> document.withObject("/metadata/labels").put(k, v));
                }));
  }

  @Override
  void close();
}

package io.ocicat.plugins.calicocluster;

import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;

/**
 * Registers this node in a datastore of this machine, where no agent may be running that would. The
 * Node has nothing but a name: an agent that starts later finds its address.
 */
public final class EmbeddedNode {
  private EmbeddedNode() {}

  /** Creates the Node if it is missing; does nothing in a datastore that nodes share. */
  public static void ensure(CalicoBackend backend, String name) {
    if (!backend.isEmbedded()) {
      return;
    }
    ResourceKey.Named key = new ResourceKey.Named(Kind.NODE, "", name);
    CalicoBackend.attempt(
        "error registering node " + name,
        () -> {
          try {
            return backend.datastore().get(key);
          } catch (NotFoundException _) {
            return create(backend, key);
          }
        });
  }

  private static Resource create(CalicoBackend backend, ResourceKey.Named key) {
    try {
      return backend.datastore().create(Resource.of(key, _ -> {}));
    } catch (ExistsException _) {
      return backend.datastore().get(key);
    }
  }
}

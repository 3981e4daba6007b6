package io.ocicat.datastore.resource;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One committed change of one resource. */
public sealed interface ResourceEvent {
  ResourceKey key();

  String revision();

  /** A resource was created. */
  record Added(Resource resource) implements ResourceEvent {
    @Override
    public ResourceKey key() {
      return resource.key();
    }

    @Override
    public String revision() {
      return resource.revision();
    }
  }

  /** A resource was changed. */
  record Modified(Resource resource) implements ResourceEvent {
    @Override
    public ResourceKey key() {
      return resource.key();
    }

    @Override
    public String revision() {
      return resource.revision();
    }
  }

  /**
   * A resource was deleted.
   *
   * @param last its last state; null when that is no longer known or cannot be read
   */
  record Deleted(ResourceKey key, String revision, @Nullable Resource last)
      implements ResourceEvent {
    public Optional<Resource> previous() {
      return Optional.ofNullable(last);
    }
  }

  /**
   * A resource was changed to something that cannot be read; its previous state no longer holds.
   */
  record Unreadable(ResourceKey key, String revision, String problem) implements ResourceEvent {}
}

package io.ocicat.datastore.resource;

/** One write or condition of a {@code Datastore.commit}. */
public sealed interface Write {
  ResourceKey key();

  /** Creates a resource; the key must not exist. */
  record Create(Resource resource) implements Write {
    @Override
    public ResourceKey key() {
      return resource.key();
    }
  }

  /** Replaces a resource that must still be at the revision that the new one has. */
  record Update(Resource resource) implements Write {
    @Override
    public ResourceKey key() {
      return resource.key();
    }
  }

  /** Deletes a resource that must be unchanged since it was read. */
  record Delete(Resource read) implements Write {
    @Override
    public ResourceKey key() {
      return read.key();
    }
  }

  /**
   * Writes nothing, but must hold for the others to be applied.
   *
   * @param revision of the resource; empty when it must not exist
   */
  record Expect(ResourceKey key, String revision) implements Write {}
}

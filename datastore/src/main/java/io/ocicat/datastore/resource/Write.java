package io.ocicat.datastore.resource;

/** One part of what {@link Datastore#commit} does at once. */
public sealed interface Write {
  ResourceKey key();

  /** Stores a new resource; there must be none of that key. */
  record Create(Resource resource) implements Write {
    @Override
    public ResourceKey key() {
      return resource.key();
    }
  }

  /** Replaces a resource that must still be of the revision that the new one has. */
  record Update(Resource resource) implements Write {
    @Override
    public ResourceKey key() {
      return resource.key();
    }
  }

  /** Removes what was read, which must still be the same. */
  record Delete(Resource read) implements Write {
    @Override
    public ResourceKey key() {
      return read.key();
    }
  }

  /**
   * Writes nothing, but must hold for the others to be done.
   *
   * @param revision of the resource; empty when there must be none
   */
  record Expect(ResourceKey key, String revision) implements Write {}
}

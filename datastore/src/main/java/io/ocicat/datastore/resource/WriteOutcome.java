package io.ocicat.datastore.resource;

import java.util.Map;

/** The result of a {@code Datastore.commit}. */
public sealed interface WriteOutcome {

  /**
   * All writes were applied together.
   *
   * @param stored the created and updated resources as stored, with their revisions
   */
  record Done(Map<ResourceKey, Resource> stored) implements WriteOutcome {
    public Done {
      stored = Map.copyOf(stored);
    }
  }

  /**
   * A condition did not hold, and nothing was written.
   *
   * @param current every resource that was named, at that revision; those that did not exist are
   *     missing
   */
  record Refused(Map<ResourceKey, Resource> current) implements WriteOutcome {
    public Refused {
      current = Map.copyOf(current);
    }
  }
}

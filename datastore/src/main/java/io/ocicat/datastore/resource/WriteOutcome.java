package io.ocicat.datastore.resource;

import java.util.Map;

/** What became of several writes. */
public sealed interface WriteOutcome {

  /**
   * All were done at one moment.
   *
   * @param stored what was created or updated, as it is stored, with its revision
   */
  record Done(Map<ResourceKey, Resource> stored) implements WriteOutcome {
    public Done {
      stored = Map.copyOf(stored);
    }
  }

  /**
   * Something was not as it had to be, and nothing was done.
   *
   * @param current every resource that was named, as it was at that moment; those that did not
   *     exist are missing
   */
  record Refused(Map<ResourceKey, Resource> current) implements WriteOutcome {
    public Refused {
      current = Map.copyOf(current);
    }
  }
}

package io.ocicat.datastore.resource;

import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.error.UnavailableException;
import java.time.Duration;
import java.util.List;

/**
 * A watch of every committed change of the matching resources, once each and in order. Pulled by
 * its reader. For one thread; closing from another wakes it.
 */
public interface ResourceWatch extends AutoCloseable {

  /**
   * Waits for changes.
   *
   * @return an empty batch when nothing happened in that time
   * @throws CompactedException when changes that were not delivered yet are no longer available;
   *     the watch is over: list again
   * @throws UnavailableException when the datastore could not be reached; may be called again
   * @throws IllegalStateException when the watch or its datastore is closed
   */
  Batch next(Duration timeout);

  @Override
  void close();

  /**
   * A batch of changes.
   *
   * @param revision watch from here to see everything after this batch
   */
  record Batch(String revision, List<ResourceEvent> events) {
    public Batch {
      events = List.copyOf(events);
    }
  }
}

package io.ocicat.datastore.resource;

import java.time.Duration;
import java.util.List;

/**
 * Every committed change of the resources asked for, once each and in order. Pulled by its reader.
 * For one thread; closing from another wakes it.
 */
public interface ResourceWatch extends AutoCloseable {

  /**
   * Waits for changes.
   *
   * @return an empty batch when nothing happened in that time
   * @throws CompactedException when changes that were not handed out yet are no longer known; the
   *     watch is over: list again
   * @throws UnavailableException when the datastore could not be asked; may be asked again
   * @throws IllegalStateException when the watch or its datastore is closed
   */
  Batch next(Duration patience);

  @Override
  void close();

  /**
   * Some changes.
   *
   * @param revision what to watch from to see everything behind this batch
   */
  record Batch(String revision, List<ResourceEvent> events) {
    public Batch {
      events = List.copyOf(events);
    }
  }
}

package io.ocicat.datastore.kv;

import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.error.UnavailableException;
import java.time.Duration;
import java.util.List;

/**
 * A watch of every committed change under a prefix, once each and in revision order. Changes of one
 * revision are never split over two batches. Pulled by its reader, so the amount of unread data is
 * bounded whatever happens to the store. For one thread; closing from another wakes it.
 */
public interface KeyValueWatch extends AutoCloseable {

  /**
   * Waits for changes. A lost connection is resumed after the last batch, within {@code timeout}.
   *
   * @return an empty batch when nothing happened in that time
   * @throws CompactedException when changes that were not delivered yet are no longer available;
   *     the watch is over
   * @throws UnavailableException when the store could not be reached in that time; the watch keeps
   *     its position and may be read again
   * @throws UnauthorizedException when the store denies access; may be read again
   * @throws IllegalStateException when the watch or its store is closed
   */
  Batch next(Duration timeout);

  @Override
  void close();

  /**
   * A batch of changes.
   *
   * @param revision every change up to and including this revision has been delivered: resume at
   *     the next. Rises also when nothing happens under the prefix.
   */
  record Batch(long revision, List<KeyValueEvent> events) {
    public Batch {
      events = List.copyOf(events);
    }
  }
}

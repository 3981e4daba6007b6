package io.ocicat.datastore.kv;

import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.error.UnavailableException;
import java.time.Duration;
import java.util.List;

/**
 * Every committed change under a prefix, once each and in the order of revisions. Changes of one
 * revision are never in two batches. Pulled by its reader, so what is not read yet is bounded
 * whatever happens to the store. For one thread; closing from another wakes it.
 */
public interface KeyValueWatch extends AutoCloseable {

  /**
   * Waits for changes. A lost connection is taken up again behind the last batch, within {@code
   * patience}.
   *
   * @return an empty batch when nothing happened in that time
   * @throws CompactedException when changes that were not handed out yet are no longer known; the
   *     watch is over
   * @throws UnavailableException when the store could not be asked in that time; the watch stays
   *     where it is and may be asked again
   * @throws UnauthorizedException when the store refuses us; may be asked again
   * @throws IllegalStateException when the watch or its store is closed
   */
  Batch next(Duration patience);

  @Override
  void close();

  /**
   * Some changes.
   *
   * @param revision every change up to and with this revision has been handed out: where to resume
   *     is the one behind it. Rises also when nothing happens under the prefix.
   */
  record Batch(long revision, List<KeyValueEvent> events) {
    public Batch {
      events = List.copyOf(events);
    }
  }
}

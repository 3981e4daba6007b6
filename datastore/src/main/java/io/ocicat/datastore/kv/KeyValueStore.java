package io.ocicat.datastore.kv;

import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.InvalidException;
import java.time.Duration;
import java.util.Optional;

/**
 * Keys and values with one revision for the whole store, which each committed transaction that
 * changes something raises by one. An empty store has revision 1. Reads see every transaction that
 * was committed before they began, by whomever. Keys and values are text; keys are ordered by their
 * UTF-8 bytes.
 *
 * <p>Every operation ends within the engine's time limits, with a result or a {@link
 * DatastoreException}; after {@link #close()} with an IllegalStateException. Thread-safe.
 */
public interface KeyValueStore extends AutoCloseable {

  Optional<KeyValue> get(String key);

  /**
   * Reads the keys of a prefix, now or as they were.
   *
   * @throws CompactedException when the revision asked for is no longer known
   * @throws InvalidException when the revision asked for is still to come
   */
  KeyValuePage range(RangeQuery query);

  /**
   * Does the changes if all conditions hold.
   *
   * @throws InvalidException when a change names a lease that is not there
   */
  TransactionOutcome commit(Transaction transaction);

  /**
   * Hands out every change under {@code prefix}, the first of them that of revision {@code from} if
   * it is one. A revision still to come is waited for. History that is gone is told by the watch's
   * first {@link KeyValueWatch#next}.
   */
  KeyValueWatch watch(String prefix, long from);

  /**
   * A new lease. Its keys are deleted soon after nobody has called {@link #keepAlive} for {@code
   * ttl}, which may be rounded up to whole seconds.
   */
  long grantLease(Duration ttl);

  /**
   * Starts the lease's time again.
   *
   * @throws io.ocicat.datastore.error.NotFoundException when it has ended
   */
  void keepAlive(long lease);

  /**
   * Ends a lease and deletes its keys.
   *
   * @throws io.ocicat.datastore.error.NotFoundException when it has ended already
   */
  void revokeLease(long lease);

  /** Why nothing can be written now, as far as that is known; one line. */
  default Optional<String> trouble() {
    return Optional.empty();
  }

  @Override
  void close();
}

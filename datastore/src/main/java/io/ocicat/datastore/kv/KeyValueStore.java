package io.ocicat.datastore.kv;

import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.InvalidException;
import java.time.Duration;
import java.util.Optional;

/**
 * An etcd-like store of keys and values with one revision, which each committed transaction that
 * changes something raises by one. An empty store has revision 1. Reads see every transaction that
 * was committed before they began, by any process. Keys and values are text; keys are ordered by
 * their UTF-8 bytes.
 *
 * <p>Every operation ends within the engine's time limits, with a result or a {@link
 * DatastoreException}; after {@link #close()} with an IllegalStateException. Thread-safe.
 */
public interface KeyValueStore extends AutoCloseable {

  Optional<KeyValue> get(String key);

  /**
   * Reads the keys of a prefix, current or at a past revision.
   *
   * @throws CompactedException when the requested revision is no longer available
   * @throws InvalidException when the requested revision is in the future
   */
  KeyValuePage range(RangeQuery query);

  /**
   * Applies the changes if all conditions hold.
   *
   * @throws InvalidException when a change names a lease that does not exist
   */
  TransactionOutcome commit(Transaction transaction);

  /**
   * Delivers every change under {@code prefix}, starting with revision {@code from}. A future
   * revision is waited for. Compacted history is reported by the first {@link KeyValueWatch#next}.
   */
  KeyValueWatch watch(String prefix, long from);

  /**
   * Creates a lease. Its keys are deleted soon after {@link #keepAlive} was not called for {@code
   * ttl}, which may be rounded up to whole seconds.
   */
  long grantLease(Duration ttl);

  /**
   * Restarts the lease's time.
   *
   * @throws io.ocicat.datastore.error.NotFoundException when it has ended
   */
  void keepAlive(long lease);

  /**
   * Ends a lease and deletes its keys.
   *
   * @throws io.ocicat.datastore.error.NotFoundException when it has already ended
   */
  void revokeLease(long lease);

  /** Returns why nothing can be written now, as far as that is known; one line. */
  default Optional<String> writeProblem() {
    return Optional.empty();
  }

  @Override
  void close();
}

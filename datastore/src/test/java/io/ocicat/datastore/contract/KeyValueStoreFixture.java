package io.ocicat.datastore.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.kv.TransactionOutcome;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * An empty store of revision 1 for each test. An engine's test says how to create one; an engine
 * whose server is too expensive to start for each test may keep it, and give each test a server of
 * its own where that is cheap.
 */
public abstract class KeyValueStoreFixture {
  private final List<KeyValueStore> opened = new ArrayList<>();
  private @Nullable KeyValueStore store;
  private @Nullable KeyValueStore another;

  /** Creates what {@link #open} opens: empty, of revision 1. */
  protected abstract void prepare();

  /** Opens another client of what {@link #prepare} created, as another process would. */
  protected abstract KeyValueStore open();

  /** Restarts the server, if there is one. All clients are closed. */
  protected abstract void restart();

  /** Compacts all history before {@code revision}. */
  protected abstract void compact(long revision);

  @BeforeEach
  final void begin() {
    prepare();
  }

  @AfterEach
  final void closeAll() {
    opened.reversed().forEach(KeyValueStore::close);
    opened.clear();
    store = null;
    another = null;
  }

  /** The store under test. */
  protected final KeyValueStore store() {
    KeyValueStore known = store;
    if (known == null) {
      known = opened();
      store = known;
    }
    return known;
  }

  /** A second client of the same store. */
  protected final KeyValueStore another() {
    KeyValueStore known = another;
    if (known == null) {
      known = opened();
      another = known;
    }
    return known;
  }

  final KeyValueStore opened() {
    KeyValueStore next = open();
    opened.add(next);
    return next;
  }

  final void reopen() {
    closeAll();
    restart();
  }

  final long put(String key, String value) {
    return committed(Transaction.put(key, value)).revision();
  }

  final TransactionOutcome.Committed committed(Transaction transaction) {
    TransactionOutcome outcome = store().commit(transaction);
    assertThat(outcome).isInstanceOf(TransactionOutcome.Committed.class);
    return (TransactionOutcome.Committed) outcome;
  }

  final TransactionOutcome.Refused refused(Transaction transaction) {
    TransactionOutcome outcome = store().commit(transaction);
    assertThat(outcome).isInstanceOf(TransactionOutcome.Refused.class);
    return (TransactionOutcome.Refused) outcome;
  }
}

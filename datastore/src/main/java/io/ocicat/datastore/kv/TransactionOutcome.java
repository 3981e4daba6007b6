package io.ocicat.datastore.kv;

import java.util.List;
import java.util.Map;

/** What became of a transaction. */
public sealed interface TransactionOutcome {
  /** The store's revision, after the transaction when it was done. */
  long revision();

  /**
   * Every condition held and every change is done.
   *
   * @param deleted what the deletes removed, in their order; a delete of a key that was not there
   *     removed nothing. Without any change the revision stays as it was.
   */
  record Committed(long revision, List<KeyValue> deleted) implements TransactionOutcome {
    public Committed {
      deleted = List.copyOf(deleted);
    }
  }

  /**
   * A condition did not hold and nothing was changed.
   *
   * @param current the keys of the conditions as they were at that moment; absent keys are missing
   */
  record Refused(long revision, Map<String, KeyValue> current) implements TransactionOutcome {
    public Refused {
      current = Map.copyOf(current);
    }
  }
}

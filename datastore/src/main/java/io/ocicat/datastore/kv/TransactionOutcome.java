package io.ocicat.datastore.kv;

import java.util.List;
import java.util.Map;

/** The result of a transaction. */
public sealed interface TransactionOutcome {
  /** The store's revision, after the transaction when it was committed. */
  long revision();

  /**
   * Every condition held and every change was applied.
   *
   * @param deleted what the deletes removed, in order; deleting a missing key removes nothing.
   *     Without any change the revision stays as it was.
   */
  record Committed(long revision, List<KeyValue> deleted) implements TransactionOutcome {
    public Committed {
      deleted = List.copyOf(deleted);
    }
  }

  /**
   * A condition did not hold and nothing was changed.
   *
   * @param current the keys of the conditions at that revision; absent keys are missing
   */
  record Refused(long revision, Map<String, KeyValue> current) implements TransactionOutcome {
    public Refused {
      current = Map.copyOf(current);
    }
  }
}

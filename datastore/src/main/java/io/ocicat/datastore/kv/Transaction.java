package io.ocicat.datastore.kv;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Changes that are applied together, with one revision, or not at all. */
public record Transaction(List<Condition> conditions, List<Change> changes) {
  /** etcd's default limit for either list. */
  public static final int MAX_OPERATIONS = 128;

  public Transaction {
    conditions = List.copyOf(conditions);
    changes = List.copyOf(changes);
    if (conditions.size() > MAX_OPERATIONS || changes.size() > MAX_OPERATIONS) {
      throw new IllegalArgumentException(
          "a transaction has at most %d conditions and as many changes, not %d and %d"
              .formatted(MAX_OPERATIONS, conditions.size(), changes.size()));
    }
    Set<String> keys = new HashSet<>();
    for (Change change : changes) {
      if (change.key().isEmpty()) {
        throw new IllegalArgumentException("a key must not be empty");
      }
      if (!keys.add(change.key())) {
        throw new IllegalArgumentException(change.key() + " is changed twice in one transaction");
      }
    }
  }

  /** Creates a key that does not exist yet. */
  public static Transaction create(String key, String value) {
    return new Transaction(List.of(Condition.absent(key)), List.of(new Change.Put(key, value)));
  }

  /** Replaces a value that was read. */
  public static Transaction update(String key, long modified, String value) {
    return new Transaction(
        List.of(new Condition(key, modified)), List.of(new Change.Put(key, value)));
  }

  /** Creates or replaces, whatever is there. */
  public static Transaction put(String key, String value) {
    return new Transaction(List.of(), List.of(new Change.Put(key, value)));
  }

  /** Deletes whatever is there. */
  public static Transaction delete(String key) {
    return new Transaction(List.of(), List.of(new Change.Delete(key)));
  }

  /** Deletes a value that was read. */
  public static Transaction delete(String key, long modified) {
    return new Transaction(List.of(new Condition(key, modified)), List.of(new Change.Delete(key)));
  }
}

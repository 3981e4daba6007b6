package io.ocicat.datastore.kv;

/**
 * A condition of a transaction.
 *
 * @param modified the revision that last changed the key; 0 when the key must not exist
 */
public record Condition(String key, long modified) {
  public Condition {
    if (modified < 0) {
      throw new IllegalArgumentException("revision of %s must not be %d".formatted(key, modified));
    }
  }

  public static Condition absent(String key) {
    return new Condition(key, 0);
  }

  public static Condition unchanged(KeyValue read) {
    return new Condition(read.key(), read.modified());
  }
}

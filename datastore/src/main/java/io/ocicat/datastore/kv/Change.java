package io.ocicat.datastore.kv;

/** One change of a transaction. */
public sealed interface Change {
  String key();

  /**
   * Creates or replaces a key.
   *
   * @param lease the lease the key is deleted with, 0 for none; replaces the lease it had
   */
  record Put(String key, String value, long lease) implements Change {
    public Put(String key, String value) {
      this(key, value, 0);
    }
  }

  /** Deletes a key; does nothing when it does not exist. */
  record Delete(String key) implements Change {}
}

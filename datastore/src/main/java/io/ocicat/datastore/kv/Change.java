package io.ocicat.datastore.kv;

/** One change of a transaction. */
public sealed interface Change {
  String key();

  /**
   * Makes or replaces a key.
   *
   * @param lease the lease the key dies with, 0 for none; the key leaves the lease it had
   */
  record Put(String key, String value, long lease) implements Change {
    public Put(String key, String value) {
      this(key, value, 0);
    }
  }

  /** Removes a key; nothing happens when there is none. */
  record Delete(String key) implements Change {}
}

package io.ocicat.datastore.kv;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One committed change of one key. */
public sealed interface KeyValueEvent {
  String key();

  long revision();

  /** The key has a new value. */
  record Put(KeyValue entry) implements KeyValueEvent {
    @Override
    public String key() {
      return entry.key();
    }

    @Override
    public long revision() {
      return entry.modified();
    }

    /** Whether the key did not exist before. */
    public boolean isNew() {
      return entry.created() == entry.modified();
    }
  }

  /**
   * The key was deleted.
   *
   * @param last its last value; null when that is no longer known
   */
  record Deleted(String key, long revision, @Nullable KeyValue last) implements KeyValueEvent {
    /** The last value, if it is still known. */
    public Optional<KeyValue> previous() {
      return Optional.ofNullable(last);
    }
  }
}

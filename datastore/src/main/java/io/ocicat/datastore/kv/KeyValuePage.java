package io.ocicat.datastore.kv;

import java.util.List;

/**
 * One page of a range read.
 *
 * @param revision the revision it was read at, for further pages of the same state or for watching
 *     what comes after it
 * @param more whether there are keys after the last one
 */
public record KeyValuePage(long revision, List<KeyValue> entries, boolean more) {
  public KeyValuePage {
    entries = List.copyOf(entries);
  }
}

package io.ocicat.datastore.kv;

import java.util.List;

/**
 * Keys that were asked for.
 *
 * @param revision the revision they were read at, to read further pages of the same state or to
 *     watch what comes after it
 * @param more whether there are keys behind the last one
 */
public record KeyValuePage(long revision, List<KeyValue> entries, boolean more) {
  public KeyValuePage {
    entries = List.copyOf(entries);
  }
}

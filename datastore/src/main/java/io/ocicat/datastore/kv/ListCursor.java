package io.ocicat.datastore.kv;

import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.resource.ResourceQuery;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The position in a paged list: the revision of the first page, which of the query's prefixes, and
 * the last key. As text {@code revision:prefix:key}.
 */
record ListCursor(List<String> prefixes, long revision, int at, String after) {

  static ListCursor of(ResourceQuery query, @Nullable String text) {
    List<String> prefixes = CalicoLayout.prefixes(query);
    if (text == null) {
      return new ListCursor(prefixes, 0, 0, "");
    }
    String[] parts = text.split(":", 3);
    try {
      ListCursor cursor =
          new ListCursor(prefixes, Long.parseLong(parts[0]), Integer.parseInt(parts[1]), parts[2]);
      if (cursor.after.isEmpty() || cursor.after.startsWith(prefixes.get(cursor.at))) {
        return cursor;
      }
    } catch (NumberFormatException | IndexOutOfBoundsException _) {
      // Rejected below.
    }
    throw new InvalidException(
        "\"%s\" does not continue a list of %s: start again".formatted(text, query.kind()));
  }

  RangeQuery query() {
    return new RangeQuery(prefixes.get(at), after, 0, revision);
  }

  /** The position after a page; null when it was the last. */
  @Nullable String nextPage(KeyValuePage page) {
    if (page.more()) {
      return page.revision() + ":" + at + ":" + page.entries().getLast().key();
    }
    return at + 1 < prefixes.size() ? page.revision() + ":" + (at + 1) + ":" : null;
  }
}

package io.ocicat.datastore.kv;

/**
 * A read of the keys with a prefix (all for the empty one), in the order of their UTF-8 bytes.
 *
 * @param after only keys after this one, which starts with the prefix; empty for a first page
 * @param limit the maximum number; 0 for all
 * @param revision as of this revision; 0 for now
 */
public record RangeQuery(String prefix, String after, int limit, long revision) {
  public RangeQuery {
    if (limit < 0 || revision < 0) {
      throw new IllegalArgumentException(
          "limit and revision must not be negative: " + limit + ", " + revision);
    }
    if (!after.isEmpty() && !after.startsWith(prefix)) {
      throw new IllegalArgumentException(
          "keys of %s cannot be read after %s".formatted(prefix, after));
    }
  }

  public static RangeQuery all(String prefix) {
    return new RangeQuery(prefix, "", 0, 0);
  }

  public RangeQuery limit(int limit) {
    return new RangeQuery(prefix, after, limit, revision);
  }

  public RangeQuery at(long revision) {
    return new RangeQuery(prefix, after, limit, revision);
  }

  /** The page after {@code page}, at the same revision. */
  public RangeQuery nextPage(KeyValuePage page) {
    String last = page.entries().isEmpty() ? after : page.entries().getLast().key();
    return new RangeQuery(prefix, last, limit, page.revision());
  }
}

package io.ocicat.datastore.embedded;

import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueEvent;
import io.ocicat.datastore.kv.KeyValuePage;
import io.ocicat.datastore.kv.KeyValueWatch;
import io.ocicat.datastore.kv.RangeQuery;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Queries of the table of entries. The caller has begun a transaction. */
final class EntryReader {
  /** At least two whole transactions, so every batch makes progress. */
  private static final int BATCH = 256;

  private static final String COLUMNS = "id, created, lease, key, value";

  private static final String PRESENT =
      "SELECT " + COLUMNS + " FROM entry WHERE key = ? AND superseded = 0";

  private static final String PRESENCE =
      "SELECT id, created FROM entry WHERE key = ? AND superseded = 0";

  private static final String PRESENT_RANGE =
      "SELECT "
          + COLUMNS
          + " FROM entry WHERE superseded = 0 AND key >= ? AND key < ? ORDER BY key LIMIT ?";

  /** Current values written by then, and values that were superseded only later. */
  private static final String PAST_RANGE =
      "SELECT "
          + COLUMNS
          + " FROM entry WHERE superseded = 0 AND key >= ?1 AND key < ?2 AND id < ?4"
          + " UNION ALL SELECT "
          + COLUMNS
          + " FROM entry WHERE superseded > ?5 AND key >= ?1 AND key < ?2 AND id < ?4"
          + " AND created > 0 ORDER BY key LIMIT ?3";

  private static final String CHANGES =
      "SELECT "
          + COLUMNS
          + " FROM entry WHERE id >= ?4 AND key >= ?1 AND key < ?2 ORDER BY id LIMIT ?3";

  private static final String ENDED_BY =
      "SELECT " + COLUMNS + " FROM entry WHERE superseded = ? AND key = ? AND created > 0";

  /** SQLite sorts every text before every blob. */
  private static final byte[] AFTER_ALL_TEXT = {0};

  private EntryReader() {}

  static long revision(SqliteSession session) throws SQLException {
    return Math.max(
        DatabaseSchema.FIRST_REVISION,
        DatabaseSchema.revision(session.number("SELECT max(id) FROM entry")));
  }

  /** The first revision that can still be read. */
  static long compacted(SqliteSession session) throws SQLException {
    return session.number("SELECT compacted FROM history");
  }

  static Optional<KeyValue> get(SqliteSession session, String key) throws SQLException {
    PreparedStatement statement = session.prepare(PRESENT);
    statement.setString(1, key);
    return first(statement);
  }

  /**
   * A key's metadata without its value.
   *
   * @param created the revision that created it
   * @param modified the revision that last changed it
   */
  record Presence(long created, long modified) {}

  /** Reads the key without its value, which may be long. */
  static Optional<Presence> presence(SqliteSession session, String key) throws SQLException {
    PreparedStatement statement = session.prepare(PRESENCE);
    statement.setString(1, key);
    try (ResultSet row = statement.executeQuery()) {
      return row.next()
          ? Optional.of(new Presence(row.getLong(2), DatabaseSchema.revision(row.getLong(1))))
          : Optional.empty();
    }
  }

  static KeyValuePage range(SqliteSession session, RangeQuery query) throws SQLException {
    long head = revision(session);
    long revision = query.revision() == 0 ? head : query.revision();
    if (revision > head) {
      throw new InvalidException(
          "revision %d is in the future: the datastore is at %d".formatted(revision, head));
    }
    if (revision < compacted(session)) {
      throw new CompactedException(
          "revision %d is no longer known: list again from the beginning".formatted(revision));
    }
    PreparedStatement statement = session.prepare(revision == head ? PRESENT_RANGE : PAST_RANGE);
    bindKeys(
        statement, query.after().isEmpty() ? query.prefix() : query.after() + '\0', query.prefix());
    // One more than requested shows whether there are more; without a limit there are none.
    statement.setLong(3, query.limit() == 0 ? -1 : query.limit() + 1L);
    if (revision != head) {
      statement.setLong(4, DatabaseSchema.firstId(revision + 1));
      statement.setLong(5, revision);
    }
    List<KeyValue> found = all(statement);
    boolean more = query.limit() > 0 && found.size() > query.limit();
    return new KeyValuePage(revision, more ? found.subList(0, query.limit()) : found, more);
  }

  static KeyValueWatch.Batch changes(SqliteSession session, String prefix, long from)
      throws SQLException {
    long compacted = compacted(session);
    if (from < compacted) {
      throw new CompactedException(
          "changes of revision %d are no longer known, only those from %d on: list again and watch from there"
              .formatted(from, compacted));
    }
    long head = revision(session);
    PreparedStatement statement = session.prepare(CHANGES);
    bindKeys(statement, prefix, prefix);
    statement.setInt(3, BATCH);
    statement.setLong(4, DatabaseSchema.firstId(from));
    List<KeyValue> rows = all(statement);
    long upTo = Math.max(head, from - 1);
    if (rows.size() == BATCH) {
      // The last transaction may continue beyond the limit: it is delivered whole with the next
      // batch.
      long cut = rows.getLast().modified();
      rows.removeIf(row -> row.modified() == cut);
      upTo = cut - 1;
    }
    List<KeyValueEvent> events = new ArrayList<>();
    for (KeyValue row : rows) {
      events.add(row.created() > 0 ? new KeyValueEvent.Put(row) : deleted(session, row));
    }
    return new KeyValueWatch.Batch(upTo, events);
  }

  private static KeyValueEvent deleted(SqliteSession session, KeyValue row) throws SQLException {
    PreparedStatement statement = session.prepare(ENDED_BY);
    statement.setLong(1, row.modified());
    statement.setString(2, row.key());
    return new KeyValueEvent.Deleted(row.key(), row.modified(), first(statement).orElse(null));
  }

  private static void bindKeys(PreparedStatement statement, String from, String prefix)
      throws SQLException {
    statement.setString(1, from);
    String end = end(prefix);
    if (end != null) {
      statement.setString(2, end);
    } else {
      statement.setBytes(2, AFTER_ALL_TEXT);
    }
  }

  /** The first text, by UTF-8 bytes, that follows all that start with the prefix. */
  static @Nullable String end(String prefix) {
    int[] points = prefix.codePoints().toArray();
    for (int last = points.length - 1; last >= 0; last--) {
      if (points[last] < Character.MAX_CODE_POINT) {
        int next = points[last] + 1;
        // Surrogates are not characters and have no UTF-8.
        points[last] = next == Character.MIN_SURROGATE ? Character.MAX_SURROGATE + 1 : next;
        return new String(points, 0, last + 1);
      }
    }
    return null;
  }

  private static Optional<KeyValue> first(PreparedStatement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      return row.next() ? Optional.of(read(row)) : Optional.empty();
    }
  }

  private static List<KeyValue> all(PreparedStatement statement) throws SQLException {
    List<KeyValue> all = new ArrayList<>();
    try (ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        all.add(read(row));
      }
    }
    return all;
  }

  private static KeyValue read(ResultSet row) throws SQLException {
    return new KeyValue(
        row.getString(4),
        row.getString(5),
        row.getLong(2),
        DatabaseSchema.revision(row.getLong(1)),
        row.getLong(3));
  }
}

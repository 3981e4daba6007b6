package io.ocicat.datastore.embedded;

import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * Deletes old history. Current values stay, and so does everything from the given revision on,
 * including its own changes.
 */
final class Compaction {
  /** The commit of a revision that is a multiple of this compacts. */
  private static final long EVERY = 256;

  /** Bounds the work, so that a write does not take long because of it. */
  private static final int ROWS = 4096;

  private Compaction() {}

  static void sometimes(SqliteSession session, long before, long after, long history)
      throws SQLException {
    if (before / EVERY != after / EVERY && after > history) {
      run(session, after - history, ROWS);
    }
  }

  /**
   * Moves committed data from SQLite's log to its tables. SQLite would do so at every commit once
   * the log has grown, waiting for the disk each time, for as long as some reader keeps it from
   * restarting the log: with watches that may be always. A failure costs nothing but the log's
   * size: the next attempt follows.
   */
  static void checkpointSometimes(SqliteSession session, long before, long after) {
    if (before / EVERY != after / EVERY) {
      try {
        session.number("PRAGMA wal_checkpoint(PASSIVE)");
      } catch (SQLException _) {
        return;
      }
    }
  }

  static void run(SqliteSession session, long revision, int rows) throws SQLException {
    if (revision > EntryReader.compacted(session)) {
      PreparedStatement limit = session.prepare("UPDATE history SET compacted = ?");
      limit.setLong(1, revision);
      limit.execute();
    }
    // A deletion supersedes itself; that of the given revision must stay visible.
    PreparedStatement delete =
        session.prepare(
            "DELETE FROM entry WHERE id IN (SELECT id FROM entry"
                + " WHERE superseded > 0 AND superseded <= ?1 AND id < ?2 LIMIT ?3)");
    delete.setLong(1, revision);
    delete.setLong(2, DatabaseSchema.firstId(revision));
    delete.setInt(3, rows);
    delete.execute();
  }
}

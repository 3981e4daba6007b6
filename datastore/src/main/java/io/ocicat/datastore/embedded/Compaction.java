package io.ocicat.datastore.embedded;

import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * Cuts off history. What is present stays, and so does everything from the given revision on, its
 * own changes included.
 */
final class Compaction {
  /** Whoever commits a revision that is a multiple of this cleans up. */
  private static final long EVERY = 256;

  /** A write must not take long because of it. */
  private static final int ROWS = 4096;

  private Compaction() {}

  static void sometimes(SqliteSession session, long before, long after, long history)
      throws SQLException {
    if (before / EVERY != after / EVERY && after > history) {
      run(session, after - history, ROWS);
    }
  }

  /**
   * Moves what was committed from SQLite's log to its tables. SQLite would do so at every commit
   * once the log has grown, waiting for the disk each time, for as long as some reader keeps it
   * from starting the log anew: with watches about that may be always. A failure costs nothing but
   * the log's size: the next one tries again.
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
    // A deletion is superseded by itself; that of the revision itself is still to be seen.
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

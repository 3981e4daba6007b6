package io.ocicat.datastore.embedded;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Checks the file with SQLite's own check, and our rows for consistency. */
final class IntegrityCheck {
  private static final int MAX = 100;

  private IntegrityCheck() {}

  static List<String> run(SqliteSession session) throws SQLException {
    List<String> problems = new ArrayList<>();
    try (ResultSet row = session.prepare("PRAGMA integrity_check(" + MAX + ")").executeQuery()) {
      while (row.next()) {
        if (!row.getString(1).equals("ok")) {
          problems.add("the file is damaged: " + row.getString(1));
        }
      }
    }
    rows(
        session,
        problems,
        "SELECT id, key FROM entry WHERE superseded > 0 AND superseded < id >> 8",
        "was replaced before it was written");
    rows(
        session,
        problems,
        "SELECT id, key FROM entry WHERE created > id >> 8 OR created < 0",
        "was written before its key was created");
    rows(
        session,
        problems,
        "SELECT id, key FROM entry WHERE created = 0 AND superseded <> id >> 8",
        "is a deletion that is still present");
    rows(
        session,
        problems,
        "SELECT e.id, e.key FROM entry e WHERE e.superseded > e.id >> 8 AND NOT EXISTS"
            + " (SELECT 1 FROM entry n WHERE n.key = e.key AND n.id >= e.superseded << 8"
            + " AND n.id < (e.superseded + 1) << 8)",
        "was replaced by something that is not there");
    rows(
        session,
        problems,
        "SELECT id, key FROM entry WHERE superseded = 0 AND lease <> 0"
            + " AND lease NOT IN (SELECT id FROM lease)",
        "has a lease that does not exist");
    return List.copyOf(problems);
  }

  private static void rows(SqliteSession session, List<String> problems, String query, String what)
      throws SQLException {
    try (ResultSet row = session.prepare(query + " LIMIT " + MAX).executeQuery()) {
      while (row.next()) {
        problems.add(
            "%s at revision %d %s"
                .formatted(row.getString(2), DatabaseSchema.revision(row.getLong(1)), what));
      }
    }
  }
}

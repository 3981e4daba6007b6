package io.ocicat.datastore.embedded;

import io.ocicat.datastore.kv.Change;
import io.ocicat.datastore.kv.Transaction;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Leases, as rows with their end time. No process is responsible for ending them: whichever writes,
 * watches or reads a key of an expired lease first deletes that lease's keys.
 */
final class KeyLeases {
  private KeyLeases() {}

  static boolean isAlive(SqliteSession session, long lease, long now) throws SQLException {
    PreparedStatement statement = session.prepare("SELECT 1 FROM lease WHERE id = ? AND ends > ?");
    statement.setLong(1, lease);
    statement.setLong(2, now);
    try (ResultSet row = statement.executeQuery()) {
      return row.next();
    }
  }

  static boolean anyEnded(SqliteSession session, long now) throws SQLException {
    return !ended(session, now).isEmpty();
  }

  static long grant(SqliteSession session, Duration ttl, long now) throws SQLException {
    PreparedStatement statement =
        session.prepare(
            "INSERT INTO lease (id, ttl, ends)"
                + " VALUES (abs(random() >> 1) + 1, ?, ?) RETURNING id");
    statement.setLong(1, ttl.toMillis());
    statement.setLong(2, now + ttl.toMillis());
    try (ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }

  /** Returns false when it has ended. */
  static boolean keepAlive(SqliteSession session, long lease, long now) throws SQLException {
    PreparedStatement statement =
        session.prepare("UPDATE lease SET ends = ? + ttl WHERE id = ? AND ends > ?");
    statement.setLong(1, now);
    statement.setLong(2, lease);
    statement.setLong(3, now);
    return statement.executeUpdate() == 1;
  }

  /** Returns false when it does not exist. */
  static boolean revoke(SqliteSession session, TransactionWriter writer, long lease)
      throws SQLException {
    PreparedStatement statement = session.prepare("DELETE FROM lease WHERE id = ?");
    statement.setLong(1, lease);
    boolean existed = statement.executeUpdate() == 1;
    List<Change> deletes = new ArrayList<>();
    for (String key : keys(session, lease)) {
      deletes.add(new Change.Delete(key));
      if (deletes.size() == Transaction.MAX_OPERATIONS) {
        writer.commit(new Transaction(List.of(), deletes));
        deletes.clear();
      }
    }
    writer.commit(new Transaction(List.of(), deletes));
    return existed;
  }

  static void revokeEnded(SqliteSession session, TransactionWriter writer, long now)
      throws SQLException {
    for (long lease : ended(session, now)) {
      revoke(session, writer, lease);
    }
  }

  private static List<Long> ended(SqliteSession session, long now) throws SQLException {
    PreparedStatement statement = session.prepare("SELECT id FROM lease WHERE ends <= ?");
    statement.setLong(1, now);
    List<Long> ended = new ArrayList<>();
    try (ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        ended.add(row.getLong(1));
      }
    }
    return ended;
  }

  private static List<String> keys(SqliteSession session, long lease) throws SQLException {
    PreparedStatement statement =
        session.prepare("SELECT key FROM entry WHERE lease = ? AND superseded = 0");
    statement.setLong(1, lease);
    List<String> keys = new ArrayList<>();
    try (ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        keys.add(row.getString(1));
      }
    }
    return keys;
  }
}

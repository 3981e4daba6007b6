package io.ocicat.datastore.embedded;

import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.kv.Change;
import io.ocicat.datastore.kv.Condition;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.kv.TransactionOutcome;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Executes transactions in a session whose SQLite transaction has begun. Every reason to refuse is
 * checked before the first change, so a refused transaction needs no rollback and several can share
 * one SQLite transaction.
 */
final class TransactionWriter {
  private static final String INSERT =
      "INSERT INTO entry (id, superseded, created, lease, key, value) VALUES (?, ?, ?, ?, ?, ?)";
  private static final String SUPERSEDE =
      "UPDATE entry SET superseded = ? WHERE key = ? AND superseded = 0";

  private final SqliteSession session;
  private final long now;
  private long revision;

  /**
   * @param now in milliseconds, for leases
   */
  TransactionWriter(SqliteSession session, long now) throws SQLException {
    this.session = session;
    this.now = now;
    this.revision = EntryReader.revision(session);
  }

  long revision() {
    return revision;
  }

  TransactionOutcome commit(Transaction transaction) throws SQLException {
    Map<String, Optional<EntryReader.Presence>> looked = new HashMap<>();
    for (Condition condition : transaction.conditions()) {
      Optional<EntryReader.Presence> there = EntryReader.presence(session, condition.key());
      if (there.map(EntryReader.Presence::modified).orElse(0L) != condition.modified()) {
        return refuse(transaction);
      }
      looked.put(condition.key(), there);
    }
    checkLeases(transaction);
    return change(transaction.changes(), looked);
  }

  private TransactionOutcome refuse(Transaction transaction) throws SQLException {
    Map<String, KeyValue> current = new HashMap<>();
    for (Condition condition : transaction.conditions()) {
      EntryReader.get(session, condition.key()).ifPresent(found -> current.put(found.key(), found));
    }
    return new TransactionOutcome.Refused(revision, current);
  }

  private void checkLeases(Transaction transaction) throws SQLException {
    for (Change change : transaction.changes()) {
      if (change instanceof Change.Put put && put.lease() != 0) {
        if (!KeyLeases.isAlive(session, put.lease(), now)) {
          throw new InvalidException(
              "%s cannot be put: lease %d does not exist or has ended, grant a new one"
                  .formatted(put.key(), put.lease()));
        }
      }
    }
  }

  private TransactionOutcome change(
      List<Change> changes, Map<String, Optional<EntryReader.Presence>> looked)
      throws SQLException {
    List<KeyValue> deleted = new ArrayList<>();
    long next = revision + 1;
    long id = DatabaseSchema.firstId(next);
    for (Change change : changes) {
      switch (change) {
        case Change.Put put -> {
          Optional<EntryReader.Presence> before = presence(put.key(), looked);
          if (before.isPresent()) {
            supersede(put.key(), next);
          }
          insert(
              id++,
              0,
              before.map(EntryReader.Presence::created).orElse(next),
              put.lease(),
              put.key(),
              put.value());
        }
        case Change.Delete delete -> {
          Optional<KeyValue> before = EntryReader.get(session, delete.key());
          if (before.isPresent()) {
            deleted.add(before.get());
            supersede(delete.key(), next);
            insert(id++, next, 0, 0, delete.key(), "");
          }
        }
      }
    }
    if (id > DatabaseSchema.firstId(next)) {
      revision = next;
    }
    return new TransactionOutcome.Committed(revision, deleted);
  }

  private Optional<EntryReader.Presence> presence(
      String key, Map<String, Optional<EntryReader.Presence>> looked) throws SQLException {
    Optional<EntryReader.Presence> known = looked.get(key);
    return known != null ? known : EntryReader.presence(session, key);
  }

  private void supersede(String key, long by) throws SQLException {
    PreparedStatement statement = session.prepare(SUPERSEDE);
    statement.setLong(1, by);
    statement.setString(2, key);
    statement.execute();
  }

  private void insert(long id, long superseded, long created, long lease, String key, String value)
      throws SQLException {
    PreparedStatement statement = session.prepare(INSERT);
    statement.setLong(1, id);
    statement.setLong(2, superseded);
    statement.setLong(3, created);
    statement.setLong(4, lease);
    statement.setString(5, key);
    statement.setString(6, value);
    statement.execute();
  }
}

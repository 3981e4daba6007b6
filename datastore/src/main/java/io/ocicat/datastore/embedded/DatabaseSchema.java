package io.ocicat.datastore.embedded;

import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.InvalidException;
import java.nio.file.Path;
import java.sql.SQLException;

/**
 * The database schema. Table {@code entry} holds every value that any key has had since the last
 * compaction:
 *
 * <ul>
 *   <li>{@code id}: revision × 256 + the change's index in its transaction, so the table itself is
 *       in the order of changes and needs no index by revision;
 *   <li>{@code superseded}: 0 for the current value of a key, else the revision that replaced it.
 *       The value at revision r is the one that was written by then and not superseded by then;
 *   <li>{@code created}: the revision that created the key; 0 for a row that records a deletion,
 *       which supersedes itself.
 * </ul>
 *
 * One partial index has the current keys in order, the other finds the rows for past revisions and
 * for compaction. The newest row is never removed, so the greatest id is the store's revision. A
 * lease's keys are found through the current entries.
 */
final class DatabaseSchema {
  private static final int APPLICATION = 0x0c1ca7;
  private static final int VERSION = 1;

  /** A transaction has at most 128 changes. */
  private static final int INDEX_BITS = 8;

  /** As in etcd, an empty store already has a revision. */
  static final long FIRST_REVISION = 1;

  private DatabaseSchema() {}

  static long revision(long id) {
    return id >> INDEX_BITS;
  }

  static long firstId(long revision) {
    return revision << INDEX_BITS;
  }

  /** Creates the tables in a new file; rejects a file that is not ours. */
  static void prepare(SqliteSession session, Path file) throws SQLException {
    if (isReady(session, file)) {
      return;
    }
    session.run("PRAGMA journal_mode = WAL");
    session.beginWriting(true);
    try {
      // Another process may have been faster.
      if (!isReady(session, file)) {
        create(session);
      }
      session.commit();
    } catch (SQLException | RuntimeException e) {
      session.rollback(e);
      throw e;
    }
  }

  private static boolean isReady(SqliteSession session, Path file) throws SQLException {
    long application = session.number("PRAGMA application_id");
    long version = session.number("PRAGMA user_version");
    if (application == 0 && version == 0) {
      if (session.number("SELECT count(*) FROM sqlite_schema") > 0) {
        throw new CorruptException(
            "%s is a database of something else: name another directory".formatted(file));
      }
      return false;
    }
    if (application != APPLICATION) {
      throw new CorruptException(
          "%s is a database of something else (application id 0x%x): name another directory"
              .formatted(file, application));
    }
    if (version > VERSION) {
      throw new InvalidException(
          "datastore %s has format %d and this version of ocicat knows formats up to %d: update ocicat"
              .formatted(file, version, VERSION));
    }
    return true;
  }

  private static void create(SqliteSession session) throws SQLException {
    session.run(
        """
        CREATE TABLE entry (
          id INTEGER PRIMARY KEY,
          superseded INTEGER NOT NULL,
          created INTEGER NOT NULL,
          lease INTEGER NOT NULL,
          key TEXT NOT NULL,
          value TEXT NOT NULL)""");
    session.run("CREATE UNIQUE INDEX entry_present ON entry (key) WHERE superseded = 0");
    session.run("CREATE INDEX entry_past ON entry (superseded) WHERE superseded > 0");
    session.run(
        "CREATE TABLE lease (id INTEGER PRIMARY KEY, ttl INTEGER NOT NULL, ends INTEGER NOT NULL)");
    session.run("CREATE TABLE history (compacted INTEGER NOT NULL)");
    session.run("INSERT INTO history (compacted) VALUES (" + FIRST_REVISION + ")");
    session.run("PRAGMA application_id = " + APPLICATION);
    session.run("PRAGMA user_version = " + VERSION);
  }
}

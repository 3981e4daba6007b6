package io.ocicat.datastore.embedded;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.sqlite.JDBC;

/** One SQLite connection with its prepared statements. For one thread at a time. */
final class SqliteSession implements AutoCloseable {
  private final Connection connection;
  private final Object identity;
  private final Map<String, PreparedStatement> statements = new HashMap<>();
  private boolean durable = true;

  private SqliteSession(Connection connection, Object identity) {
    this.connection = connection;
    this.identity = identity;
  }

  /**
   * @param identity the file's identity
   */
  static SqliteSession open(Path file, EmbeddedSettings settings, Object identity)
      throws SQLException {
    SqliteSession session =
        new SqliteSession(JDBC.createConnection("jdbc:sqlite:" + file, new Properties()), identity);
    try {
      session.run("PRAGMA busy_timeout = " + settings.timeout().toMillis());
      session.run("PRAGMA synchronous = FULL");
      session.run("PRAGMA cache_size = -2048");
      // The last resort; see Compaction.
      session.run("PRAGMA wal_autocheckpoint = 16384");
      session.run("PRAGMA journal_size_limit = 16777216");
      return session;
    } catch (SQLException e) {
      session.close();
      throw e;
    }
  }

  Object identity() {
    return identity;
  }

  void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Returns the statement with this text, which stays prepared as long as the session lives. */
  PreparedStatement prepare(String sql) throws SQLException {
    PreparedStatement known = statements.get(sql);
    if (known == null) {
      known = connection.prepareStatement(sql);
      statements.put(sql, known);
    }
    return known;
  }

  long number(String sql) throws SQLException {
    try (ResultSet row = prepare(sql).executeQuery()) {
      return row.next() ? row.getLong(1) : 0;
    }
  }

  void begin() throws SQLException {
    prepare("BEGIN").execute();
  }

  /**
   * Takes the file's write lock at once, so that no later statement can fail for lack of it.
   *
   * @param durable whether the commit waits for the disk; otherwise the next durable commit or
   *     SQLite's next checkpoint syncs it
   */
  void beginWriting(boolean durable) throws SQLException {
    if (durable != this.durable) {
      run("PRAGMA synchronous = " + (durable ? "FULL" : "NORMAL"));
      this.durable = durable;
    }
    prepare("BEGIN IMMEDIATE").execute();
  }

  void commit() throws SQLException {
    prepare("COMMIT").execute();
  }

  /**
   * Rolls back a transaction. False when that failed, or SQLite had ended it itself: then the
   * session must not be used again.
   */
  boolean rollback(Throwable because) {
    try {
      prepare("ROLLBACK").execute();
      return true;
    } catch (SQLException e) {
      because.addSuppressed(e);
      return false;
    }
  }

  /** What a failed close leaves open is released with the process. */
  @Override
  @SuppressWarnings("EmptyCatch")
  public void close() {
    try {
      connection.close();
    } catch (SQLException _) {
      // Everything that was committed is already safe.
    }
  }
}

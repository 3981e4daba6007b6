package io.ocicat.ipamserver;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The database file, with a lock that allows a single server, because free addresses are also kept
 * in memory. Others may read the file meanwhile, for instance with the sqlite3 command.
 */
final class Database implements AutoCloseable {
  private static final int SCHEMA = 1;
  private static final List<String> TABLES =
      List.of(
          """
          CREATE TABLE allocation (
            id            INTEGER PRIMARY KEY AUTOINCREMENT,
            network       TEXT NOT NULL,
            container_id  TEXT NOT NULL,
            if_name       TEXT NOT NULL,
            node          TEXT NOT NULL,
            pool          TEXT NOT NULL,
            request       TEXT NOT NULL,
            answer        TEXT NOT NULL,
            lease_seconds INTEGER NOT NULL,
            created_at    INTEGER NOT NULL,
            expires_at    INTEGER,
            UNIQUE (network, container_id, if_name)
          ) STRICT
          """,
          "CREATE INDEX allocation_expiry ON allocation (expires_at) WHERE expires_at IS NOT NULL",
          """
          CREATE TABLE address (
            address    TEXT PRIMARY KEY,
            allocation INTEGER REFERENCES allocation (id),
            rests_till INTEGER,
            CHECK ((allocation IS NULL) <> (rests_till IS NULL))
          ) STRICT, WITHOUT ROWID
          """,
          "CREATE INDEX address_allocation ON address (allocation) WHERE allocation IS NOT NULL",
          "CREATE INDEX address_rest ON address (rests_till) WHERE rests_till IS NOT NULL");

  private final FileChannel lockFile;
  private final Connection connection;

  private Database(FileChannel lockFile, Connection connection) {
    this.lockFile = lockFile;
    this.connection = connection;
  }

  /**
   * Opens the file, creating it when missing.
   *
   * @throws IpamServerException when another server has it, or it is not a database of ours
   */
  static Database open(Path file) {
    FileChannel lockFile = lock(file);
    Connection opened = null;
    try {
      // Created here, because SQLite would make it readable by everybody.
      FileChannel.open(file, Set.of(CREATE, WRITE), permissions("rw-------")).close();
      opened = DriverManager.getConnection("jdbc:sqlite:" + file);
      prepare(opened, file);
      return new Database(lockFile, opened);
    } catch (IOException | SQLException e) {
      close(opened, lockFile);
      throw new IpamServerException(
          "cannot open the database %s: %s".formatted(file, e.getMessage()), e);
    } catch (RuntimeException | Error e) {
      close(opened, lockFile);
      throw e;
    }
  }

  private static FileChannel lock(Path file) {
    if (file.toString().contains("?")) {
      throw new IpamServerException("the database's path must not have a ?: " + file);
    }
    Path lock = file.resolveSibling(file.getFileName() + ".lock");
    try {
      Path directory = file.toAbsolutePath().getParent();
      if (directory != null) {
        Files.createDirectories(directory, permissions("rwx------"));
      }
      FileChannel channel = FileChannel.open(lock, Set.of(CREATE, WRITE), permissions("rw-------"));
      if (!isLocked(channel)) {
        channel.close();
        throw new IpamServerException(
            "the database %s belongs to another ipam-server that is running".formatted(file));
      }
      return channel;
    } catch (IOException e) {
      throw new IpamServerException("cannot lock the database %s: %s".formatted(file, e), e);
    }
  }

  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException _) {
      return false;
    }
  }

  private static FileAttribute<?> permissions(String text) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text));
  }

  private static void prepare(Connection connection, Path file) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA busy_timeout = 2000");
      statement.execute("PRAGMA foreign_keys = ON");
      statement.execute("PRAGMA journal_mode = WAL");
      // What was answered must survive a power failure: NORMAL would lose the last few.
      statement.execute("PRAGMA synchronous = FULL");
      int schema = number(statement, "PRAGMA user_version");
      if (schema == 0) {
        create(connection, statement);
      } else if (schema != SCHEMA) {
        throw new IpamServerException(
            "the database %s has schema %d, this ocicat knows %d: it was written by a newer one"
                .formatted(file, schema, SCHEMA));
      }
    }
  }

  private static void create(Connection connection, Statement statement) throws SQLException {
    connection.setAutoCommit(false);
    for (String table : TABLES) {
      statement.execute(table);
    }
    statement.execute("PRAGMA user_version = " + SCHEMA);
    connection.commit();
    connection.setAutoCommit(true);
  }

  private static int number(Statement statement, String query) throws SQLException {
    try (ResultSet rows = statement.executeQuery(query)) {
      return rows.getInt(1);
    }
  }

  Connection connection() {
    return connection;
  }

  /** Releases the lock last: the next owner finds everything written. */
  @Override
  public void close() {
    close(connection, lockFile);
  }

  private static void close(@Nullable Connection connection, FileChannel lockFile) {
    try (lockFile;
        connection) {
      // Close both, whatever happens.
    } catch (IOException | SQLException e) {
      throw new IpamServerException("cannot close the database: " + e.getMessage(), e);
    }
  }
}

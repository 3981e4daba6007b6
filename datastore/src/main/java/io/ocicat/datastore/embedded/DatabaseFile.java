package io.ocicat.datastore.embedded;

import io.ocicat.datastore.error.UnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.SQLException;
import java.util.Objects;

/**
 * The database file that sessions are opened on. It can be deleted or replaced while a process has
 * it open, and SQLite does not notice: it would go on with a file that nobody else sees.
 */
final class DatabaseFile {
  private final Path path;
  private final EmbeddedSettings settings;

  DatabaseFile(Path path, EmbeddedSettings settings) {
    this.path = path;
    this.settings = settings;
  }

  /**
   * Opens another session on the existing file, with its tables.
   *
   * @throws UnavailableException when the file is missing: an empty one in its place would assign
   *     addresses that containers already have
   */
  SqliteSession open() throws SQLException {
    Object identity = identity();
    SqliteSession session = SqliteSession.open(path, settings, identity);
    try {
      DatabaseSchema.prepare(session, path);
      return session;
    } catch (SQLException | RuntimeException e) {
      session.close();
      throw e;
    }
  }

  /** Whether the session's file is still the one at the path. */
  boolean isOf(SqliteSession session) {
    return session.identity().equals(identity());
  }

  private Object identity() {
    try {
      return Objects.requireNonNull(
          Files.readAttributes(path, BasicFileAttributes.class).fileKey(), "no device and inode");
    } catch (NoSuchFileException e) {
      throw new UnavailableException(
          "datastore %s was deleted while it was in use: put a copy in its place, or restart what uses it to begin with an empty one"
              .formatted(path),
          e);
    } catch (IOException e) {
      throw new UnavailableException(
          "datastore %s cannot be accessed: %s".formatted(path, SqliteFailure.firstLine(e)), e);
    }
  }
}

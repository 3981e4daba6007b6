package io.ocicat.datastore.embedded;

import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.error.UnavailableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.sqlite.SQLiteErrorCode;

/** Translates SQLite's result codes to our exceptions, in this one place. */
final class SqliteFailure {
  private static final int PAGE_BYTES = 4096;
  private static final int ROOM_BYTES = 256 << 10;

  private final Path file;
  private final EmbeddedSettings settings;

  SqliteFailure(Path file, EmbeddedSettings settings) {
    this.file = file;
    this.settings = settings;
  }

  /** For failures after which nothing was written. */
  DatastoreException of(SQLException e) {
    SQLiteErrorCode code = SQLiteErrorCode.getErrorCode(e.getErrorCode());
    // The low byte is the primary code; the rest says which part of SQLite failed.
    return switch (SQLiteErrorCode.getErrorCode(e.getErrorCode() & 0xff)) {
      case SQLITE_BUSY, SQLITE_LOCKED ->
          new UnavailableException(
              "datastore %s has been locked by another process for %d s: find it (fuser %s) or try again"
                  .formatted(file, settings.timeout().toSeconds(), file),
              e);
      case SQLITE_FULL -> full(e);
      case SQLITE_READONLY ->
          new UnavailableException(
              "datastore %s cannot be written: the file or its file system is read-only, remount it or correct its mode"
                  .formatted(file),
              e);
      case SQLITE_PERM, SQLITE_AUTH ->
          new UnauthorizedException(
              "datastore %s cannot be opened: permission denied".formatted(file), e);
      case SQLITE_CANTOPEN ->
          new UnavailableException(
              Files.isDirectory(directory()) && !Files.isWritable(directory())
                  ? "datastore %s cannot be used: %s is read-only, remount it or correct its mode"
                      .formatted(file, directory())
                  : "datastore %s cannot be opened: check that its directory exists and may be written by this user"
                      .formatted(file),
              e);
      case SQLITE_NOTADB ->
          new CorruptException(
              "%s is not a datastore: move it away to start with an empty one, or put a copy in its place"
                  .formatted(file),
              e);
      case SQLITE_CORRUPT ->
          new CorruptException(
              "datastore %s is damaged: stop what uses it and put a copy in its place, or save what can be read (sqlite3 %s .recover)"
                  .formatted(file, file),
              e);
      default ->
          isDiskFull()
              ? full(e)
              : new UnavailableException(
                  "datastore %s failed (%s): %s".formatted(file, code.name(), firstLine(e)), e);
    };
  }

  private UnavailableException full(SQLException e) {
    return new UnavailableException(
        "datastore %s cannot grow, nothing was written: the disk or the quota is full, free some space"
            .formatted(file),
        e);
  }

  /** SQLite reports an index that cannot grow as an I/O error. */
  private boolean isDiskFull() {
    return directory().toFile().getUsableSpace() < PAGE_BYTES;
  }

  /** Whether there is room for more than the smallest possible write. */
  boolean hasRoom() {
    return directory().toFile().getUsableSpace() >= ROOM_BYTES;
  }

  /**
   * When COMMIT itself failed to reach the disk, the write may still turn out complete after a
   * crash.
   */
  DatastoreException ofCommit(SQLException e) {
    DatastoreException failure = of(e);
    boolean unclear =
        SQLiteErrorCode.getErrorCode(e.getErrorCode() & 0xff) == SQLiteErrorCode.SQLITE_IOERR;
    return unclear
        ? UnavailableException.outcomeUnknown(String.valueOf(failure.getMessage()), e)
        : failure;
  }

  private Path directory() {
    return file.resolveSibling("");
  }

  static String firstLine(Throwable e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }
}

package io.ocicat.datastore.embedded;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.error.UnauthorizedException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.kv.CalicoLayout;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.kv.KeyValuePage;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.KeyValueWatch;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.kv.TransactionOutcome;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A key-value store in an SQLite file, {@code datastore.db} in a private directory. Any number of
 * processes may open it at the same time; each sees the others' commits, and each commit wakes the
 * watches of all. Committed data survives killed processes, and a crash of the machine as far as
 * {@link EmbeddedSettings#durable} says.
 */
public final class EmbeddedStore implements KeyValueStore {
  private final Path file;
  private final EmbeddedSettings settings;
  private final SqliteFailure failure;
  private final ChangeNotifier notifier;
  private final CommitQueue writer;
  private final ReadSessions readers;
  private long lastCheckedAt;

  private EmbeddedStore(
      Path file,
      DatabaseFile database,
      EmbeddedSettings settings,
      SqliteSession session,
      ChangeNotifier notifier) {
    this.file = file;
    this.settings = settings;
    this.failure = new SqliteFailure(file, settings);
    this.notifier = notifier;
    this.writer = new CommitQueue(database, session, failure, settings, notifier);
    this.readers = new ReadSessions(database, failure);
    notifier.pollWith(this::hasChanged);
  }

  /** Called only by the notifier, from one thread. */
  private boolean hasChanged() {
    endLeases();
    long revision = readers.read(EntryReader::revision);
    boolean changed = revision != lastCheckedAt;
    lastCheckedAt = revision;
    return changed;
  }

  public static EmbeddedStore open(Path directory) {
    return open(directory, EmbeddedSettings.standard());
  }

  /** Opens the store in {@code directory}; creates both when missing. */
  public static EmbeddedStore open(Path directory, EmbeddedSettings settings) {
    Path file = directory.toAbsolutePath().resolve("datastore.db");
    if (file.toString().indexOf('?') >= 0) {
      throw new InvalidException(
          "datastore %s cannot be opened: its path must not contain a question mark"
              .formatted(file));
    }
    SqliteFailure failure = new SqliteFailure(file, settings);
    try {
      PrivateFiles.createDirectory(file.resolveSibling(""));
      PrivateFiles.createFile(file);
      DatabaseFile database = new DatabaseFile(file, settings);
      SqliteSession session = database.open();
      try {
        return new EmbeddedStore(
            file,
            database,
            settings,
            session,
            new ChangeNotifier(file.resolveSibling("datastore.bell")));
      } catch (IOException | RuntimeException e) {
        session.close();
        throw e;
      }
    } catch (SQLException e) {
      throw failure.of(e);
    } catch (AccessDeniedException e) {
      throw new UnauthorizedException(
          "datastore %s cannot be opened: permission denied on %s".formatted(file, e.getFile()), e);
    } catch (FileAlreadyExistsException e) {
      throw new UnavailableException(
          "datastore %s cannot be opened: %s is not a directory: correct OCICAT_STATE_DIR"
              .formatted(file, e.getFile()),
          e);
    } catch (IOException e) {
      throw new UnavailableException(
          "datastore %s cannot be opened: %s: %s"
              .formatted(file, e.getClass().getSimpleName(), SqliteFailure.firstLine(e)),
          e);
    }
  }

  /**
   * Opens a datastore in {@code directory}. Endpoints and assigned addresses belong to containers,
   * which do not survive a crash of the machine: writing them does not wait for the disk.
   * Everything else does.
   */
  public static Datastore openDatastore(Path directory) {
    return new KeyValueDatastore(
        open(
            directory, EmbeddedSettings.standard().durable(key -> !CalicoLayout.isEphemeral(key))));
  }

  @Override
  public Optional<KeyValue> get(String key) {
    Optional<KeyValue> entry = readers.read(session -> EntryReader.get(session, key));
    if (entry.isPresent() && entry.get().lease() != 0 && endLeases()) {
      return readers.read(session -> EntryReader.get(session, key));
    }
    return entry;
  }

  @Override
  public KeyValuePage range(RangeQuery query) {
    KeyValuePage page = readers.readTogether(session -> EntryReader.range(session, query));
    boolean leased = page.entries().stream().anyMatch(entry -> entry.lease() != 0);
    if (query.revision() == 0 && leased && endLeases()) {
      return readers.readTogether(session -> EntryReader.range(session, query));
    }
    return page;
  }

  @Override
  public TransactionOutcome commit(Transaction transaction) {
    return writer.commit(transaction);
  }

  @Override
  public KeyValueWatch watch(String prefix, long from) {
    readers.read(EntryReader::revision);
    return new EmbeddedWatch(this, notifier, prefix, from);
  }

  KeyValueWatch.Batch changes(String prefix, long from) {
    return readers.readTogether(session -> EntryReader.changes(session, prefix, from));
  }

  /** Returns whether any lease was ended. */
  boolean endLeases() {
    long now = settings.clock().millis();
    if (!readers.read(session -> KeyLeases.anyEnded(session, now))) {
      return false;
    }
    // Every write begins with it.
    return writer.write(_ -> true);
  }

  @Override
  public long grantLease(Duration ttl) {
    if (!ttl.isPositive()) {
      throw new InvalidException("a lease must last longer than " + ttl);
    }
    return writer.write(_ -> KeyLeases.grant(writer.session(), ttl, settings.clock().millis()));
  }

  @Override
  public void keepAlive(long lease) {
    if (!writer.write(
        _ -> KeyLeases.keepAlive(writer.session(), lease, settings.clock().millis()))) {
      throw noLease(lease);
    }
  }

  @Override
  public void revokeLease(long lease) {
    if (!writer.write(changes -> KeyLeases.revoke(writer.session(), changes, lease))) {
      throw noLease(lease);
    }
  }

  private static NotFoundException noLease(long lease) {
    return new NotFoundException("lease " + lease + " does not exist or has ended");
  }

  @Override
  public Optional<String> writeProblem() {
    return writer.writeProblem();
  }

  /**
   * Deletes all history before {@code revision}; current values stay. The engine does so by itself,
   * as the settings say.
   */
  public void compact(long revision) {
    long head = readers.read(EntryReader::revision);
    if (revision > head) {
      throw new InvalidException(
          "revision %d cannot be compacted: the datastore is at %d".formatted(revision, head));
    }
    writer.write(
        _ -> {
          Compaction.run(writer.session(), revision, Integer.MAX_VALUE);
          return true;
        });
  }

  /**
   * Reads the whole file and checks it for damage.
   *
   * @return the errors, one line each; empty when there are none
   */
  public List<String> check() {
    return readers.readTogether(IntegrityCheck::run);
  }

  public Path file() {
    return file;
  }

  @Override
  public void close() {
    try {
      notifier.close();
    } catch (IOException e) {
      throw new UnavailableException(
          "datastore %s cannot be closed: %s".formatted(file, SqliteFailure.firstLine(e)), e);
    } finally {
      readers.close();
      writer.close();
    }
  }
}

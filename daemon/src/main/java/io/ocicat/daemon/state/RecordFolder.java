package io.ocicat.daemon.state;

import io.ocicat.base.CrashPoints;
import io.ocicat.netlink.linux.FileStat;
import io.ocicat.netlink.linux.NetlinkException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A directory with one file per record. A file is written in one go and has a checksum: an
 * incomplete one was never finished, and counts as absent. Nothing waits for the disk, because a
 * record has to outlive its process, not the machine.
 */
public final class RecordFolder {
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final Set<StandardOpenOption> NEW =
      Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
  private static final int MAX_RECORD = 16 << 20;

  private static final Duration WRITING = Duration.ofSeconds(10);

  /** Precedes every time that a file may have. */
  private static final long UNKNOWN = Long.MIN_VALUE;

  private final Path folder;
  private final CrashPoints points;
  private final String writing;
  private final String removing;

  /** When the folder was last changed, if it was empty then. */
  private volatile long emptiedAt = UNKNOWN;

  RecordFolder(Path folder, CrashPoints points) {
    this.folder = folder;
    this.points = points;
    this.writing = "write to " + folder.getFileName();
    this.removing = "remove from " + folder.getFileName();
  }

  /** A record and the name it has here. */
  public record Kept(String name, CallRecord record) {}

  public Path path() {
    return folder;
  }

  /** Writes a record, replacing one of the same name. */
  public void write(String name, CallRecord record) {
    Path file = folder.resolve(name);
    points.pass(writing);
    try {
      try {
        create(file, record.bytes());
      } catch (FileAlreadyExistsException _) {
        Files.deleteIfExists(file);
        points.pass(writing);
        create(file, record.bytes());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write %s: %s".formatted(file, e), e);
    }
  }

  private static void create(Path file, byte[] bytes) throws IOException {
    try (SeekableByteChannel out = Files.newByteChannel(file, NEW, OWNER_ONLY)) {
      ByteBuffer left = ByteBuffer.wrap(bytes);
      while (left.hasRemaining()) {
        out.write(left);
      }
    } catch (FileAlreadyExistsException e) {
      throw e;
    } catch (IOException e) {
      Files.deleteIfExists(file);
      throw e;
    }
  }

  /** Empty when there is no complete record: what cannot be read counts as absent. */
  public Optional<CallRecord> read(String name) {
    Path file = folder.resolve(name);
    try {
      // Usually there is none, and an exception costs more than a stat.
      return Files.exists(file) ? parse(file) : Optional.empty();
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  private static Optional<CallRecord> parse(Path file) throws IOException {
    // Reading a pipe would wait for its writer.
    return !Files.isRegularFile(file) || Files.size(file) > MAX_RECORD
        ? Optional.empty()
        : CallRecord.parse(Files.readAllBytes(file));
  }

  /** Whether there is a file for it, complete or not. */
  public boolean has(String name) {
    return Files.exists(folder.resolve(name));
  }

  public boolean remove(String name) {
    points.pass(removing);
    try {
      return Files.deleteIfExists(folder.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove %s: %s".formatted(folder.resolve(name), e), e);
    }
  }

  /**
   * Whether it is incomplete and will stay so, because it is older than any write may take. A
   * record that just cannot be read, for want of descriptors perhaps, may be complete.
   */
  public boolean isBroken(String name) {
    Path file = folder.resolve(name);
    try {
      if (Files.isRegularFile(file) && parse(file).isPresent()) {
        return false;
      }
      Instant modified = Files.getLastModifiedTime(file).toInstant();
      return modified.isBefore(Instant.now().minus(WRITING));
    } catch (IOException _) {
      return false;
    }
  }

  /** The names of all files, including those of incomplete records. */
  public List<String> names() {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      files.forEach(file -> names.add(file.getFileName().toString()));
    } catch (NoSuchFileException | NotDirectoryException _) {
      return List.of();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list %s: %s".formatted(folder, e), e);
    }
    names.sort(null);
    return names;
  }

  /**
   * Whether the folder is empty; costs one stat(2) as long as nothing changes, because it is asked
   * several times a second.
   */
  public boolean isEmpty() {
    long now = System.currentTimeMillis();
    FileStat present = stat(folder);
    if (present != null && present.modifiedNanos() == emptiedAt) {
      return true;
    }
    boolean empty = names().isEmpty();
    emptiedAt =
        empty && present != null && present.isSettled(now) ? present.modifiedNanos() : UNKNOWN;
    return empty;
  }

  /** The stat(2) of its file; empty when there is none. */
  public Optional<FileStat> stat(String name) {
    return Optional.ofNullable(stat(folder.resolve(name)));
  }

  private static @Nullable FileStat stat(Path path) {
    try {
      return FileStat.of(path);
    } catch (NetlinkException _) {
      return null;
    }
  }

  /** All complete records. */
  public List<Kept> list() {
    List<Kept> records = new ArrayList<>();
    for (String name : names()) {
      read(name).ifPresent(record -> records.add(new Kept(name, record)));
    }
    return records;
  }
}

package io.ocicat.plugins.hostlocal;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import io.ocicat.base.BootId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An index on disk, for processes that serve one call: they read only the part they need, so that
 * ten thousand leases cost as much as ten. It is next to the directories of the networks, in {@code
 * <dataDir>/.ocicat-index}, where the Go plugin never looks; nor could that mistake it for a lease,
 * because no id starts with a slash.
 *
 * <p>A header of fixed length is followed by an {@link IndexTable}. The holder of the network's
 * lock changes it in place, and it is valid only if the header has the directory's current stamp.
 * The header is written last: a process killed before that leaves one that matches no directory.
 * Nothing is synced to disk: the header has the boot id, so a file from before a crash of the
 * machine is ignored.
 *
 * <p>Failing to write it is not an error: the next call reads the directory instead. Not
 * thread-safe.
 */
final class IndexFile implements AutoCloseable {
  /** One file of a directory that was added or removed. */
  record Change(boolean added, long owner, String name) {
    void applyTo(LeaseIndex index) {
      if (added) {
        index.add(owner, name);
      } else {
        index.remove(owner, name);
      }
    }
  }

  private static final String MAGIC = "/ocicat host-local index 2 ";
  private static final int HEAD_LENGTH = 256;

  private final Path directory;
  private final Path path;
  private final Path draft;

  /** The machine's boot id; empty until it is needed, as reading it costs more than the rest. */
  private String boot = "";

  /** Both null unless the file is valid for the directory, apart from the changes of this call. */
  private @Nullable FileChannel channel;

  private @Nullable IndexTable table;

  private IndexFile(Path directory, String network) {
    this.directory = directory;
    this.path = directory.resolve(network);
    // Under the network's lock nobody else writes it, and no network has such a name.
    this.draft = directory.resolve(".new-" + network);
  }

  static IndexFile of(Path directory) {
    Path absolute = directory.toAbsolutePath();
    return new IndexFile(
        absolute.resolveSibling(".ocicat-index"), String.valueOf(absolute.getFileName()));
  }

  /** The table, if it is valid for a directory with this stamp; usable until this is closed. */
  Optional<IndexTable> read(DirectoryStamp stamp) {
    close();
    if (!stamp.isDistinct() || Files.notExists(path)) {
      return Optional.empty();
    }
    try {
      FileChannel open = FileChannel.open(path, READ, WRITE);
      channel = open;
      String head = IndexTable.read(open, 0, HEAD_LENGTH);
      String beginning = beginning(stamp);
      if (head.startsWith(beginning)) {
        String[] numbers = head.substring(beginning.length()).strip().split(" ", 3);
        table =
            IndexTable.at(
                open,
                HEAD_LENGTH,
                Integer.parseInt(numbers[0]),
                Integer.parseInt(numbers[1]),
                Integer.parseInt(numbers[2]));
        return Optional.of(table);
      }
    } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException e) {
      // Treated as missing.
    }
    close();
    return Optional.empty();
  }

  /** Null when the file is no longer reliable. */
  @Nullable IndexTable table() {
    return table;
  }

  /**
   * Brings it up to date with the changes since it was last read or written.
   *
   * @param index with the changes; null if nobody has needed all of it yet
   */
  void update(@Nullable LeaseIndex index, List<Change> changes, DirectoryStamp stamp) {
    try {
      if (channel != null && table != null && table.hasRoomFor(changes)) {
        table.apply(changes);
        writeHead(channel, table, stamp);
      } else if (index != null) {
        rewrite(index, stamp);
      } else if (table != null) {
        LeaseIndex all = table.load();
        changes.forEach(change -> change.applyTo(all));
        rewrite(all, stamp);
      }
    } catch (IOException | UncheckedIOException | IllegalArgumentException e) {
      close();
    }
  }

  private void rewrite(LeaseIndex index, DirectoryStamp stamp) throws IOException {
    close();
    Files.createDirectories(
        directory,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    FileChannel open =
        FileChannel.open(
            draft,
            Set.of(READ, WRITE, CREATE, TRUNCATE_EXISTING),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    channel = open;
    table = IndexTable.create(open, HEAD_LENGTH, index);
    writeHead(open, table, stamp);
    Files.move(draft, path, StandardCopyOption.ATOMIC_MOVE);
  }

  private void writeHead(FileChannel channel, IndexTable table, DirectoryStamp stamp)
      throws IOException {
    String head =
        beginning(stamp) + table.capacity() + " " + table.live() + " " + table.filled() + " ";
    IndexTable.write(
        channel, 0, (head + " ".repeat(HEAD_LENGTH)).substring(0, HEAD_LENGTH - 1) + "\n");
  }

  /** The part of the header that must match. */
  private String beginning(DirectoryStamp stamp) throws IOException {
    if (boot.isEmpty()) {
      boot = BootId.current().toString();
    }
    return MAGIC
        + boot
        + "\n="
        + stamp.identity().device()
        + " "
        + stamp.identity().inode()
        + " "
        + stamp.modified()
        + " "
        + stamp.changed()
        + "\n";
  }

  /** The directory is small enough to be read instead. */
  void remove() {
    if (channel != null) {
      close();
      try {
        Files.deleteIfExists(path);
      } catch (IOException _) {
        // It is stale from now on.
      }
    }
  }

  @Override
  public void close() {
    FileChannel open = channel;
    channel = null;
    table = null;
    try {
      if (open != null) {
        open.close();
      }
    } catch (IOException _) {
      // Everything has been written already.
    }
  }
}

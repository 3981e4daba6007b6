package io.ocicat.plugins.hostlocal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
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
 * An index on disk, for processes that serve one call: these read what they need of it and no more,
 * so that ten thousand leases cost them what ten do. It lies beside the directories of the
 * networks, in {@code <dataDir>/.ocicat-index}, where the Go plugin never looks; nor could that
 * take it for a lease, because no id starts with a slash.
 *
 * <p>Behind a head of fixed length is an {@link IndexTable}. It is changed in place by whoever
 * holds the network's lock, and counts only if the head names the directory's present stamp. The
 * head is written last: who is killed before leaves one that fits no directory any more. Nothing is
 * forced to disk: what a crash of the machine leaves is of another boot.
 *
 * <p>Failing to write it is no failure: the next one to come reads the directory. Not thread-safe.
 */
final class IndexFile implements AutoCloseable {
  /** One file of a directory that came or went. */
  record Change(boolean came, long owner, String name) {
    void applyTo(LeaseIndex index) {
      if (came) {
        index.add(owner, name);
      } else {
        index.remove(owner, name);
      }
    }
  }

  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
  private static final String MAGIC = "/ocicat host-local index 2 ";
  private static final int HEAD_LENGTH = 256;

  private final Path directory;
  private final Path path;
  private final Path draft;

  /** Of the machine's present start; empty until it is needed, as it costs more than the rest. */
  private String boot = "";

  /** Both null unless what the file says is true of the directory, but for changes of this call. */
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

  /** What it says, if that is about a directory with this stamp; valid until this is closed. */
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
      // As good as none.
    }
    close();
    return Optional.empty();
  }

  /** Null when the file cannot be relied on any more. */
  @Nullable IndexTable table() {
    return table;
  }

  /**
   * Brings it up to date with what changed since it was last read or written.
   *
   * @param index as it is with the changes; null if nobody needed all of it yet
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
    } catch (IOException | IllegalArgumentException e) {
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

  /** All of the head that must be as expected. */
  private String beginning(DirectoryStamp stamp) throws IOException {
    if (boot.isEmpty()) {
      boot = new String(Files.readAllBytes(BOOT_ID), ISO_8859_1).strip();
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
        // It is out of date from now on.
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
      // Everything written is written.
    }
  }
}

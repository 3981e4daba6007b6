package io.ocicat.plugins.hostlocal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An index on disk, for processes that serve one call: reading ten thousand lines takes
 * milliseconds, reading ten thousand files a tenth of a second. It lies beside the directories of
 * the networks, in {@code <dataDir>/.ocicat-index}, where the Go plugin never looks; nor could that
 * take it for a lease, because no id starts with a slash.
 *
 * <pre>
 * /ocicat host-local index 1 (boot id)
 * +9ae16a3b2f90404f 10.8.0.23       a file is there, with the hash of its content
 * -9ae16a3b2f90404f 10.8.0.23       it is gone
 * =65024 2146577 1763…22 1763…91    all this was true of the directory with this stamp
 * </pre>
 *
 * <p>Changes are added at the end, with a stamp behind those of each call, by whoever holds the
 * network's lock; now and then the whole is written anew. It counts only if its last line is
 * complete and the directory's present stamp. Nothing is forced to disk: what a crash of the
 * machine leaves is of another boot.
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
  private static final String HEADER = "/ocicat host-local index 1 ";
  private static final int HASH_AT = 1;
  private static final int NAME_AT = HASH_AT + 16 + 1;
  private static final long MAX_BYTES = 1 << 26;

  private final Path directory;
  private final Path path;
  private final Path draft;

  /** Open while the file is known to hold the index. */
  private @Nullable FileChannel channel;

  /** How long it is then, unless somebody else wrote to it. */
  private long length;

  private int lines;

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

  /** The index that it holds, if that is of a directory with this stamp. */
  Optional<LeaseIndex> read(DirectoryStamp stamp) {
    close();
    if (!stamp.isDistinct() || Files.notExists(path)) {
      return Optional.empty();
    }
    try {
      channel = FileChannel.open(path, READ, WRITE);
      length = channel.size();
      if (length <= MAX_BYTES) {
        ByteBuffer bytes = ByteBuffer.allocate((int) length);
        while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) > 0) {}
        String text = new String(bytes.array(), 0, bytes.position(), ISO_8859_1);
        if (text.startsWith(header()) && text.endsWith("\n" + line(stamp))) {
          return Optional.of(parse(text));
        }
      }
    } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException e) {
      // As good as none.
    }
    close();
    return Optional.empty();
  }

  private LeaseIndex parse(String text) {
    LeaseIndex index = new LeaseIndex();
    lines = 0;
    int start = text.indexOf('\n') + 1;
    while (start < text.length()) {
      int end = text.indexOf('\n', start);
      char kind = text.charAt(start);
      if (kind != '=') {
        long owner = HexFormat.fromHexDigitsToLong(text, start + HASH_AT, start + NAME_AT - 1);
        new Change(kind == '+', owner, text.substring(start + NAME_AT, end)).applyTo(index);
      }
      lines++;
      start = end + 1;
    }
    return index;
  }

  /** Brings it up to date with what changed since it was last read or written. */
  void update(LeaseIndex index, List<Change> changes, DirectoryStamp stamp) {
    try {
      if (channel != null && lines <= 2 * index.size() && channel.size() == length) {
        StringBuilder text = new StringBuilder();
        changes.forEach(change -> append(text, change.came(), change.owner(), change.name()));
        write(channel, text.append(line(stamp)));
        lines += changes.size() + 1;
      } else {
        rewrite(index, stamp);
      }
    } catch (IOException e) {
      close();
    }
  }

  private void rewrite(LeaseIndex index, DirectoryStamp stamp) throws IOException {
    close();
    StringBuilder text = new StringBuilder(header());
    index.forEach((owner, name) -> append(text, true, owner, name));
    text.append(line(stamp));
    Files.createDirectories(
        directory,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    channel =
        FileChannel.open(
            draft,
            Set.of(READ, WRITE, CREATE, TRUNCATE_EXISTING),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    length = 0;
    lines = index.size() + 1;
    write(channel, text);
    Files.move(draft, path, StandardCopyOption.ATOMIC_MOVE);
  }

  private void write(FileChannel open, CharSequence text) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(text.toString().getBytes(ISO_8859_1));
    while (bytes.hasRemaining()) {
      length += open.write(bytes, length);
    }
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
    try {
      if (open != null) {
        open.close();
      }
    } catch (IOException _) {
      // Everything written is written.
    }
  }

  private static String header() throws IOException {
    return HEADER + Files.readString(BOOT_ID).strip() + "\n";
  }

  private static void append(StringBuilder text, boolean came, long owner, String name) {
    text.append(came ? '+' : '-').append(HexFormat.of().toHexDigits(owner));
    text.append(' ').append(name).append('\n');
  }

  private static String line(DirectoryStamp stamp) {
    return "="
        + stamp.device()
        + " "
        + stamp.inode()
        + " "
        + stamp.modified()
        + " "
        + stamp.changed()
        + "\n";
  }
}

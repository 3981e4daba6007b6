package io.ocicat.plugins.hostlocal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/**
 * Reads and writes the files of a network's lease directory. Only regular files are ever opened: a
 * pipe under the name of an address must not block us while we hold the lock.
 */
final class LeaseFile {
  static final String LAST_RESERVED = "last_reserved_ip.";
  static final String LOCK = "lock";

  /** A lease that is being written. One left by a killed process is garbage. */
  static final String DRAFT = ".ocicat.new";

  /** Longer than any lease: no environment variable, and so no container id, is longer. */
  static final int MAX_BYTES = 1 << 17;

  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private LeaseFile() {}

  /** The whole content; empty when it is not a regular file, or far too long. */
  static Optional<String> read(Path file) throws IOException {
    try {
      return read(file, Files.readAttributes(file, BasicFileAttributes.class, NOFOLLOW_LINKS));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  static Optional<String> read(Path file, BasicFileAttributes attributes) throws IOException {
    if (!attributes.isRegularFile() || attributes.size() > MAX_BYTES) {
      return Optional.empty();
    }
    ByteBuffer content = ByteBuffer.allocate((int) attributes.size());
    try (SeekableByteChannel in = Files.newByteChannel(file, Set.of(READ, NOFOLLOW_LINKS))) {
      while (content.hasRemaining() && in.read(content) >= 0) {
        // Nobody writes while we hold the lock, so one read is enough in practice, but not
        // guaranteed.
      }
    }
    return Optional.of(new String(content.array(), 0, content.position(), UTF_8));
  }

  /**
   * Creates a file under a name that is free. It appears with all its content or not at all: an
   * empty one left by a killed process would block the address for everybody.
   *
   * @return whether the name was free
   */
  static boolean create(Path directory, String name, String content) throws IOException {
    Path draft = directory.resolve(DRAFT);
    try {
      write(draft, content, Set.of(WRITE, CREATE_NEW));
    } catch (FileAlreadyExistsException e) {
      // Never overwritten: it may be another hard link to a lease whose writer was just killed.
      Files.delete(draft);
      write(draft, content, Set.of(WRITE, CREATE_NEW));
    }
    try {
      Files.createLink(directory.resolve(name), draft);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    } finally {
      deleteQuietly(draft);
    }
  }

  /** A leftover is removed by the next writer. */
  private static void deleteQuietly(Path draft) {
    try {
      Files.deleteIfExists(draft);
    } catch (IOException _) {
      // Not worth failing for: the lease exists.
    }
  }

  /** Creates a file or replaces its content, in place as the Go plugin does. */
  static void overwrite(Path file, String content) throws IOException {
    if (!Files.isRegularFile(file, NOFOLLOW_LINKS) && Files.exists(file, NOFOLLOW_LINKS)) {
      throw new IOException(file + ": is not an ordinary file");
    }
    write(file, content, Set.of(WRITE, CREATE, NOFOLLOW_LINKS));
  }

  private static void write(Path file, String content, Set<? extends OpenOption> options)
      throws IOException {
    try (SeekableByteChannel channel = FileChannel.open(file, options, OWNER_ONLY)) {
      ByteBuffer bytes = ByteBuffer.wrap(content.getBytes(UTF_8));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      if (channel.size() > bytes.limit()) {
        channel.truncate(bytes.limit());
      }
    }
  }

  /** Without white space at either end by Go's rules, because Go compares trimmed contents. */
  static String trim(String content) {
    int from = 0;
    int to = content.length();
    while (from < to && isSpace(content.charAt(from))) {
      from++;
    }
    while (from < to && isSpace(content.charAt(to - 1))) {
      to--;
    }
    return content.substring(from, to);
  }

  private static boolean isSpace(char c) {
    return (c >= '\t' && c <= '\r') || c == 0x85 || Character.isSpaceChar(c);
  }
}

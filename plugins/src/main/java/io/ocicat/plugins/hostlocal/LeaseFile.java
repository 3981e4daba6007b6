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
 * The files of a network's directory. What is not an ordinary file is never opened: a pipe under
 * the name of an address must not keep us waiting with the lock in our hands.
 */
final class LeaseFile {
  static final String LAST_RESERVED = "last_reserved_ip.";
  static final String LOCK = "lock";

  /** A lease that is being written. Left behind by a process that was killed it is garbage. */
  static final String DRAFT = ".ocicat.new";

  /** More than any lease has: no variable of an environment, so no container id, is longer. */
  static final int MAX_BYTES = 1 << 17;

  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private LeaseFile() {}

  /** The whole content; nothing when there is no such ordinary file, or one beyond all measure. */
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
        // Nobody writes while we have the lock, so one round is enough, but none is promised.
      }
    }
    return Optional.of(new String(content.array(), 0, content.position(), UTF_8));
  }

  /**
   * Makes a file under a name that is free. It appears with all its content or not at all: one that
   * a killed process left empty would keep the address from everybody.
   *
   * @return whether the name was free
   */
  static boolean create(Path directory, String name, String content) throws IOException {
    Path draft = directory.resolve(DRAFT);
    try {
      write(draft, content, Set.of(WRITE, CREATE_NEW));
    } catch (FileAlreadyExistsException e) {
      // Never overwritten: it may be another name of a lease whose writer was killed just then.
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

  /** What stays is removed by whoever makes the next one. */
  private static void deleteQuietly(Path draft) {
    try {
      Files.deleteIfExists(draft);
    } catch (IOException _) {
      // Not worth a lease that is made.
    }
  }

  /** Makes a file or changes its content, in place as the Go plugin does. */
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

  /** Without white space at either end, by the rules of Go, which compares contents so. */
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

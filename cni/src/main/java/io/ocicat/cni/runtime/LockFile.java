package io.ocicat.cni.runtime;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Locks between processes, all in one file, so that there is nothing to clean up and the kernel
 * releases the locks of a killed process. Each lock is a range of bytes. An exclusive holder locks
 * the range; a shared holder locks any one byte of it. (The shared locks of POSIX would do among
 * processes, but Java refuses a second one within a process.)
 *
 * <p>Closing any descriptor of the file releases all locks the process has on it. So it stays open
 * for the lifetime of this object, and is opened again only when somebody has removed it.
 * Thread-safe.
 */
final class LockFile {
  private static final String NAME = "lock";
  private static final long RANGE = 1 << 20;

  private final PrivateDirectory directory;
  private @Nullable FileChannel channel;
  private @Nullable Object identity;

  LockFile(PrivateDirectory directory) {
    this.directory = directory;
  }

  /**
   * Takes the lock if it is free.
   *
   * @throws IOException when the file cannot be created
   */
  Optional<FileLock> tryLock(String name, boolean shared) throws IOException {
    long start = start(name);
    long position = shared ? start + ThreadLocalRandom.current().nextLong(RANGE) : start;
    try {
      return Optional.ofNullable(channel().tryLock(position, shared ? 1 : RANGE, false));
    } catch (OverlappingFileLockException _) {
      // Another object of this class in this JVM has it.
      return Optional.empty();
    }
  }

  /**
   * Two processes must compute the same value; if two names ever did, one would wait for the other.
   */
  private static long start(String name) {
    return (ByteBuffer.wrap(Sha256.of(name)).getLong() >>> 2) / RANGE * RANGE;
  }

  private synchronized FileChannel channel() throws IOException {
    Path file = directory.file(NAME);
    FileChannel open = channel;
    if (open == null || !open.isOpen() || !Objects.equals(identity, identityOf(file))) {
      directory.create();
      open = directory.open(NAME, StandardOpenOption.READ);
      channel = open;
      identity = identityOf(file);
    }
    return open;
  }

  private static @Nullable Object identityOf(Path file) {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    } catch (IOException e) {
      return null;
    }
  }
}

package io.ocicat.cni.runtime;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Locks between processes: each is one byte of one file, so that there is nothing to clean up and
 * the kernel lets go of what a killed process held.
 *
 * <p>These are POSIX record locks: closing any descriptor of the file gives up all locks the
 * process has on it. So the file stays open as long as this object lives, and is opened anew only
 * when somebody has removed it. Thread-safe.
 */
final class LockFile {
  private static final String NAME = "lock";

  private final PrivateDirectory directory;
  private @Nullable FileChannel channel;
  private @Nullable Object identity;

  LockFile(PrivateDirectory directory) {
    this.directory = directory;
  }

  /**
   * Takes the lock if it is free.
   *
   * @throws IOException when there is no place for the file
   */
  Optional<FileLock> tryLock(long position, boolean shared) throws IOException {
    try {
      return Optional.ofNullable(channel().tryLock(position, 1, shared));
    } catch (OverlappingFileLockException _) {
      // Another object of this class in this JVM has it.
      return Optional.empty();
    }
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

package io.ocicat.cni.runtime;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Set;

/** A directory that only its owner can look into, where files are written before they appear. */
final class PrivateDirectory {
  private static final FileAttribute<Set<PosixFilePermission>> DIRECTORY_MODE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final FileAttribute<Set<PosixFilePermission>> FILE_MODE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final Path path;

  PrivateDirectory(Path path) {
    this.path = path;
  }

  /** Creates it with its parents; fails when nothing could be written into it. */
  void create() throws IOException {
    if (!Files.isDirectory(path)) {
      Files.createDirectories(path, DIRECTORY_MODE);
    }
    if (!Files.isWritable(path)) {
      throw new IOException(path + " is not writable");
    }
  }

  /** A channel to a file in here, which is created when it is not there. */
  FileChannel open(String name, StandardOpenOption... more) throws IOException {
    return FileChannel.open(path.resolve(name), options(more), FILE_MODE);
  }

  Path file(String name) {
    return path.resolve(name);
  }

  private static Set<OpenOption> options(StandardOpenOption... more) {
    Set<OpenOption> options = new HashSet<>(Set.of(more));
    options.add(StandardOpenOption.CREATE);
    options.add(StandardOpenOption.WRITE);
    options.add(LinkOption.NOFOLLOW_LINKS);
    return options;
  }

  /**
   * Puts a file with this content in the place of {@code target}, on the same file system. Whoever
   * reads sees the old one or the new one, whole, also after a crash of the machine: the content is
   * on the disk before the name is.
   *
   * @param draft the name of the file in the meantime; the same for every attempt, so that one that
   *     was interrupted leaves nothing that the next does not overwrite
   */
  void replace(Path target, String draft, byte[] content) throws IOException {
    Path file = path.resolve(draft);
    try (FileChannel channel = open(draft, StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    Files.move(file, target, StandardCopyOption.ATOMIC_MOVE);
  }

  void remove(String name) throws IOException {
    Files.deleteIfExists(path.resolve(name));
  }
}

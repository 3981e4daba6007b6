package io.ocicat.cni.runtime;

import io.ocicat.base.file.WholeFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Set;

/**
 * A directory accessible only to its owner, where files are written before they are moved into
 * place.
 */
final class PrivateDirectory {
  private static final FileAttribute<Set<PosixFilePermission>> DIRECTORY_MODE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final FileAttribute<Set<PosixFilePermission>> FILE_MODE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final Path path;

  PrivateDirectory(Path path) {
    this.path = path;
  }

  /** Creates it with its parents; fails when it is not writable. */
  void create() throws IOException {
    if (!Files.isDirectory(path)) {
      Files.createDirectories(path, DIRECTORY_MODE);
    }
    if (!Files.isWritable(path)) {
      throw new IOException(path + " is not writable");
    }
  }

  /** A channel to a file in the directory, which is created if missing. */
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
   * Atomically replaces {@code target}, on the same file system, with this content. Readers see the
   * old file or the new one, complete, even after a crash of the machine: the content is synced
   * before the rename.
   *
   * @param draft the temporary file's name; the same for every attempt, so that the next one
   *     overwrites the leftover of an interrupted one
   */
  void replace(Path target, String draft, byte[] content) throws IOException {
    WholeFile.at(target).draft(path.resolve(draft)).durable().write(content);
  }

  void remove(String name) throws IOException {
    Files.deleteIfExists(path.resolve(name));
  }
}

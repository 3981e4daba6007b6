package io.ocicat.datastore.embedded;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Creates directories of mode 0700 and files of mode 0600. */
final class PrivateFiles {
  static final FileAttribute<Set<PosixFilePermission>> FILE_MODE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final FileAttribute<Set<PosixFilePermission>> DIRECTORY_MODE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private PrivateFiles() {}

  static void createDirectory(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      Files.createDirectories(directory, DIRECTORY_MODE);
    }
  }

  /**
   * Creates a missing file. An existing one is not even opened: closing it again would release
   * every POSIX lock that SQLite holds on it in this process.
   */
  static void createFile(Path file) throws IOException {
    if (Files.exists(file)) {
      return;
    }
    try {
      Files.createFile(file, FILE_MODE);
    } catch (FileAlreadyExistsException _) {
      // Another process was faster.
      return;
    }
  }
}

package io.ocicat.datastore.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads a file that configuration names: only a regular file, because opening a pipe waits for its
 * other end and reading a device may never end. {@code netlink} has the same without a race between
 * check and open, which needs system calls that this module does without.
 */
public final class NamedFile {
  private NamedFile() {}

  /**
   * Returns the file's bytes as ISO 8859-1.
   *
   * @throws java.nio.file.NoSuchFileException when it does not exist
   */
  public static String read(Path file) throws IOException {
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw new FileSystemException(file.toString(), null, "not a regular file");
    }
    return Files.readString(file, StandardCharsets.ISO_8859_1);
  }

  /** Returns why the file could not be read, without its name. */
  public static String reason(IOException e) {
    return e instanceof FileSystemException file && file.getReason() != null
        ? file.getReason()
        : e.getClass().getSimpleName();
  }
}

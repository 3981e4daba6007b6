package io.ocicat.plugins.hostlocal;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Describes file errors in words: Java's own message is often nothing but the path. */
final class FileError {
  private FileError() {}

  static String describe(IOException e) {
    if (!(e instanceof FileSystemException file)) {
      return String.valueOf(e.getMessage());
    }
    String reason =
        switch (file) {
          case NoSuchFileException _ -> "no such file or directory";
          case AccessDeniedException _ -> "permission denied";
          default -> file.getReason() == null ? file.getClass().getSimpleName() : file.getReason();
        };
    return file.getFile() + ": " + reason;
  }
}

package io.ocicat.cni.runtime;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;

/** Describes I/O errors in the kernel's words: Java often names only the file. */
final class IoReason {
  private IoReason() {}

  static String of(IOException e) {
    return switch (e) {
      case NoSuchFileException _ -> "no such file or directory";
      case AccessDeniedException _ -> "permission denied";
      case NotDirectoryException _ -> "not a directory";
      case FileAlreadyExistsException exists -> exists.getFile() + " is not a directory";
      case FileSystemException failed when failed.getReason() != null ->
          failed.getReason().toLowerCase(Locale.ROOT);
      default -> String.valueOf(e.getMessage());
    };
  }
}

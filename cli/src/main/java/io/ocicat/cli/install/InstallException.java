package io.ocicat.cli.install;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;

/** Why something could not be installed or removed. */
final class InstallException extends RuntimeException {
  private static final long serialVersionUID = 1;

  InstallException(String message) {
    super(message);
  }

  private InstallException(String message, IOException cause) {
    super(message, cause);
  }

  /** With the kernel's error, and advice if there is some. */
  static InstallException of(String what, Path path, IOException e) {
    return new InstallException("cannot %s %s: %s".formatted(what, path, reason(e)), e);
  }

  private static String reason(IOException e) {
    String kernel = kernelsWords(e);
    return switch (kernel) {
      case "read-only file system" -> kernel + "; choose another directory, or mount it writable";
      case "no space left on device" -> kernel + "; make room and repeat the command";
      default -> kernel;
    };
  }

  private static String kernelsWords(IOException e) {
    return switch (e) {
      case NoSuchFileException _ -> "no such file or directory";
      case AccessDeniedException _ -> "permission denied";
      case FileAlreadyExistsException _ -> "it is not a directory";
      case FileSystemException failed when failed.getReason() != null ->
          failed.getReason().toLowerCase(Locale.ROOT);
      default -> String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
    };
  }
}

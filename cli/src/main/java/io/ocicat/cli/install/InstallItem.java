package io.ocicat.cli.install;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * A file to install at a path.
 *
 * @param edited how to treat it when the user has changed it since it was installed
 */
record InstallItem(Path path, Content content, Edited edited) {

  /** How to treat our file when the user has changed it. */
  enum Edited {
    /** Nothing is done until the user decides. */
    REFUSED,
    /** It was meant to be changed. */
    KEPT,
    /** The file itself says that changes are lost. */
    LOST
  }

  InstallItem(Path path, Content content) {
    this(path, content, Edited.REFUSED);
  }

  /** The same, but the user's changes are kept. */
  InstallItem keepingEdits() {
    return new InstallItem(path, content, Edited.KEPT);
  }

  /** The same, but the user's changes are lost. */
  InstallItem losingEdits() {
    return new InstallItem(path, content, Edited.LOST);
  }

  /** Its content. */
  sealed interface Content {
    /** The same bytes, mode and time as a file has: the start-up cache requires the same times. */
    record Copy(Path source) implements Content {}

    /** A file for its owner alone or readable for all, as the permissions say. */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares contents
    record Text(byte[] bytes, String permissions) implements Content {}

    record Link(Path target) implements Content {}
  }

  static InstallItem copy(Path source, Path path) {
    return new InstallItem(path, new Content.Copy(source));
  }

  static InstallItem text(byte[] bytes, String permissions, Path path) {
    return new InstallItem(path, new Content.Text(bytes, permissions));
  }

  static InstallItem link(Path target, Path path) {
    return new InstallItem(path, new Content.Link(target));
  }

  Fingerprint fingerprint() {
    return switch (content) {
      case Content.Copy(Path source) ->
          Fingerprint.of(source)
              .orElseThrow(
                  () ->
                      new InstallException(
                          "%s is missing: the distribution is incomplete".formatted(source)));
      case Content.Text(byte[] bytes, String _) -> Fingerprint.ofBytes(bytes);
      case Content.Link(Path target) -> Fingerprint.ofLink(target);
    };
  }

  /** Whether mode and time are also as they should be, given that the content is. */
  boolean hasItsAttributes() {
    try {
      return switch (content) {
        case Content.Copy(Path source) -> isLink(source) || looksLike(source);
        case Content.Text(byte[] _, String permissions) ->
            permissions.equals(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
        case Content.Link _ -> true;
      };
    } catch (IOException e) {
      throw InstallException.of("look at", path, e);
    }
  }

  private boolean looksLike(Path source) throws IOException {
    return Files.getPosixFilePermissions(path).equals(Files.getPosixFilePermissions(source))
        && Files.getLastModifiedTime(path).equals(Files.getLastModifiedTime(source));
  }

  /** Where it is staged, next to its path. The same name each time, so that none is left. */
  Path draft() {
    return path.resolveSibling("." + path.getFileName() + ".ocicat-new");
  }

  /** Stages it: after that only a rename is missing, which needs no space. */
  void stage() {
    try {
      Files.createDirectories(path.getParent());
      Files.deleteIfExists(draft());
      switch (content) {
        case Content.Copy(Path source) when isLink(source) ->
            Files.createSymbolicLink(draft(), Files.readSymbolicLink(source));
        case Content.Copy(Path source) -> copy(source);
        case Content.Text(byte[] bytes, String permissions) -> write(bytes, permissions);
        case Content.Link(Path target) -> Files.createSymbolicLink(draft(), target);
      }
    } catch (IOException e) {
      discard();
      throw InstallException.of("write", path, e);
    }
  }

  /** Removes a partial draft; if even that fails, the next install tries. */
  private void discard() {
    try {
      Files.deleteIfExists(draft());
    } catch (IOException _) {
      // The reason why it could not be written is what matters.
    }
  }

  private static boolean isLink(Path source) {
    return Files.isSymbolicLink(source);
  }

  private void copy(Path source) throws IOException {
    try (FileChannel from = FileChannel.open(source);
        FileChannel to = create()) {
      long at = 0;
      while (at < from.size()) {
        at += from.transferTo(at, from.size() - at, to);
      }
      Files.setPosixFilePermissions(draft(), Files.getPosixFilePermissions(source));
      Files.setLastModifiedTime(draft(), Files.getLastModifiedTime(source));
      to.force(true);
    }
  }

  private void write(byte[] bytes, String permissions) throws IOException {
    try (FileChannel to = create()) {
      ByteBuffer left = ByteBuffer.wrap(bytes);
      while (left.hasRemaining()) {
        to.write(left);
      }
      Files.setPosixFilePermissions(draft(), PosixFilePermissions.fromString(permissions));
      to.force(true);
    }
  }

  private FileChannel create() throws IOException {
    return FileChannel.open(
        draft(),
        Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
  }

  /** Moves it to its path, in one step: a running executable continues with the old file. */
  void appear() {
    try {
      Files.move(draft(), path, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw InstallException.of("put in place", path, e);
    }
  }

  /** Removes the staged file. */
  void unstage() {
    try {
      Files.deleteIfExists(draft());
    } catch (IOException e) {
      throw InstallException.of("remove", draft(), e);
    }
  }
}

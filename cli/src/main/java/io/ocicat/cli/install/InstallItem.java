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
 * Something that is to be at a path.
 *
 * @param edited what becomes of it when somebody has changed it since it was put there
 */
record InstallItem(Path path, Content content, Edited edited) {

  /** What becomes of ours that somebody has changed. */
  enum Edited {
    /** Nothing is done, until somebody says what is meant. */
    REFUSED,
    /** It was meant to be changed. */
    KEPT,
    /** It says that changes are lost. */
    LOST
  }

  InstallItem(Path path, Content content) {
    this(path, content, Edited.REFUSED);
  }

  /** The same, which is left to whoever changes it. */
  InstallItem keepingEdits() {
    return new InstallItem(path, content, Edited.KEPT);
  }

  /** The same, in which no change lasts. */
  InstallItem losingEdits() {
    return new InstallItem(path, content, Edited.LOST);
  }

  /** What it is. */
  sealed interface Content {
    /** The same bytes, mode and time as a file has: the start-up cache insists on times. */
    record Copy(Path source) implements Content {}

    /** A file for its owner alone or for all to read, as the permissions say. */
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
                          "%s is missing: the distribution is not whole".formatted(source)));
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

  /** Where it is made ready, beside its path. The same name each time, so that none is left. */
  Path draft() {
    return path.resolveSibling("." + path.getFileName() + ".ocicat-new");
  }

  /** Makes it ready: after that only a rename is missing, which needs no space. */
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

  /**
   * What could not be written whole; when it cannot even be removed, the next one who writes tries.
   */
  private void discard() {
    try {
      Files.deleteIfExists(draft());
    } catch (IOException _) {
      // The reason why it could not be written is what has to be told.
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

  /** Takes its place, in one step: an executable that runs goes on with what it was. */
  void appear() {
    try {
      Files.move(draft(), path, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw InstallException.of("put in place", path, e);
    }
  }

  /** Forgets what was made ready. */
  void unstage() {
    try {
      Files.deleteIfExists(draft());
    } catch (IOException e) {
      throw InstallException.of("remove", draft(), e);
    }
  }
}

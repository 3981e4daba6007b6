package io.ocicat.cli.install;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/** Identifies the content of a file, to detect whether it is still what was installed. */
record Fingerprint(String text) {
  /** A directory, a socket and the like: never ours. */
  private static final Fingerprint OTHER = new Fingerprint("other");

  /** Empty when there is nothing. Links are not followed. */
  static Optional<Fingerprint> of(Path path) {
    try {
      BasicFileAttributes found =
          Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      if (found.isSymbolicLink()) {
        return Optional.of(ofLink(Files.readSymbolicLink(path)));
      }
      return Optional.of(found.isRegularFile() ? ofFile(path) : OTHER);
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IOException e) {
      throw InstallException.of("look at", path, e);
    }
  }

  static Fingerprint ofLink(Path target) {
    return new Fingerprint("link:" + target);
  }

  static Fingerprint ofBytes(byte[] bytes) {
    return ofDigest(sha256().digest(bytes));
  }

  private static Fingerprint ofFile(Path path) throws IOException {
    MessageDigest digest = sha256();
    try (InputStream in = new DigestInputStream(Files.newInputStream(path), digest)) {
      in.transferTo(OutputStream.nullOutputStream());
    }
    return ofDigest(digest.digest());
  }

  private static Fingerprint ofDigest(byte[] digest) {
    return new Fingerprint("sha256:" + HexFormat.of().formatHex(digest));
  }

  boolean isOther() {
    return equals(OTHER);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}

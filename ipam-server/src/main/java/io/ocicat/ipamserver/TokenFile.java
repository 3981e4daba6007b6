package io.ocicat.ipamserver;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The accepted tokens: a file with one token per line. While tokens are rotated it holds the old
 * and the new one; a change of the file applies from the next request on. Removing a token revokes
 * it, even the last one: when the file is empty or gone, all requests are rejected. A file that
 * cannot be read, or has a line that is not a token, changes nothing until it is corrected.
 * Thread-safe.
 */
final class TokenFile {
  private static final int MAX_BYTES = 1 << 20;
  private static final int SHORTEST = 16;

  /** What RFC 6750 allows. */
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9._~+/-]+=*");

  private final Path file;
  private final Consumer<String> log;
  private volatile Known known;

  /** The digests of the tokens in one version of the file; the tokens themselves are not kept. */
  private record Known(List<byte[]> digests, Version version) {}

  /** Identifies a version of the file. */
  private record Version(FileTime changed, long size, @Nullable Object inode) {
    static final Version GONE = new Version(FileTime.fromMillis(0), -1, null);
  }

  private TokenFile(Path file, Consumer<String> log) {
    this.file = file;
    this.log = log;
    this.known = read();
    if (known.digests().isEmpty()) {
      throw new IpamServerException(
          "the token file %s holds no token: write one into it, for instance with \"openssl rand -hex 32\""
              .formatted(file));
    }
  }

  /**
   * Reads the file.
   *
   * @throws IpamServerException when it does not exist or has nothing usable in it
   */
  static TokenFile read(Path file, Consumer<String> log) {
    return new TokenFile(file, log);
  }

  private Known read() {
    try {
      // Before its content: a change while it is read makes it be read again.
      Version version = version();
      if (Files.exists(file) && !Files.isRegularFile(file)) {
        // Opening a pipe waits for its other end, and all requests would wait with it.
        throw new FileSystemException(file.toString(), null, "not a regular file");
      }
      List<byte[]> digests = new ArrayList<>();
      try (InputStream in = Files.newInputStream(file)) {
        String text = new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
        List<String> lines = text.lines().map(String::strip).toList();
        for (int i = 0; i < lines.size(); i++) {
          String line = lines.get(i);
          if (!line.isEmpty() && !line.startsWith("#")) {
            digests.add(digest(checked(line, i + 1)));
          }
        }
      }
      return new Known(List.copyOf(digests), version);
    } catch (IOException e) {
      throw new IpamServerException("cannot read the token file %s: %s".formatted(file, e), e);
    }
  }

  private String checked(String token, int line) {
    if (!FORM.matcher(token).matches() || token.length() < SHORTEST) {
      throw new IpamServerException(
          "line %d of the token file %s is not a token: at least %d of A–Z a–z 0–9 . _ ~ + / -"
              .formatted(line, file, SHORTEST));
    }
    return token;
  }

  private Version version() throws IOException {
    try {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      return new Version(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
    } catch (NoSuchFileException _) {
      return Version.GONE;
    }
  }

  /** Checks a token in constant time. */
  boolean accept(String token) {
    refresh();
    byte[] digest = digest(token);
    boolean accepted = false;
    for (byte[] each : known.digests()) {
      accepted |= MessageDigest.isEqual(each, digest);
    }
    return accepted;
  }

  private void refresh() {
    try {
      Version seen = version();
      Known before = known;
      if (!seen.equals(before.version())) {
        // Recorded first, so that an unusable file is reported once.
        known = new Known(before.digests(), seen);
        known = seen.equals(Version.GONE) ? new Known(List.of(), seen) : read();
        log.accept(
            known.digests().isEmpty()
                ? "the token file %s %s: all requests are rejected"
                    .formatted(file, seen.equals(Version.GONE) ? "is gone" : "holds no token")
                : "the token file %s was read again".formatted(file));
      }
    } catch (IOException | IpamServerException e) {
      log.accept("the tokens stay as they are: " + e.getMessage());
    }
  }

  private static byte[] digest(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}

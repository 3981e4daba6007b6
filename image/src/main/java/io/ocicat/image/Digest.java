package io.ocicat.image;

import io.ocicat.base.Quoted;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * The SHA-256 of a blob, which names it in manifests, registries and the store. Other algorithms
 * are refused: registries do not use them, and a name that one tool verifies and another ignores is
 * worse than none.
 *
 * @param hex 64 lower-case digits
 */
public record Digest(String hex) implements Comparable<Digest> {
  private static final String PREFIX = "sha256:";
  private static final Pattern HEX = Pattern.compile("[0-9a-f]{64}");

  public Digest {
    if (!HEX.matcher(hex).matches()) {
      throw new IllegalArgumentException(
          Quoted.brief(hex) + " is not a SHA-256 digest: 64 lower-case hexadecimal digits");
    }
  }

  /**
   * Reads {@code sha256:<hex>}.
   *
   * @throws IllegalArgumentException for any other text
   */
  public static Digest parse(String text) {
    if (!text.startsWith(PREFIX)) {
      throw new IllegalArgumentException(
          Quoted.brief(text) + " is not a digest that is supported: sha256:<64 digits>");
    }
    return new Digest(text.substring(PREFIX.length()));
  }

  public static boolean isHex(String text) {
    return HEX.matcher(text).matches();
  }

  public static Digest of(byte[] content) {
    return finish(hash().digest(content));
  }

  /** What a finished SHA-256 computation returned. */
  public static Digest finish(byte[] sha256) {
    return new Digest(HexFormat.of().formatHex(sha256));
  }

  /** A new SHA-256 computation. */
  public static MessageDigest hash() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public int compareTo(Digest other) {
    return hex.compareTo(other.hex);
  }

  @Override
  public String toString() {
    return PREFIX + hex;
  }
}

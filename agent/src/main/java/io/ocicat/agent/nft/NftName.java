package io.ocicat.agent.nft;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** Names that nf_tables and the nft command accept. */
final class NftName {
  private static final int LONGEST = 150;
  private static final int READABLE = 100;
  private static final int HASH_BYTES = 8;
  private static final Pattern FITTING = Pattern.compile("[A-Za-z0-9/.-]{1," + LONGEST + "}");
  private static final Pattern OTHERS = Pattern.compile("[^A-Za-z0-9/.-]");

  private NftName() {}

  /** The text itself where it is a name; else what is readable of it, made unique by a hash. */
  static String of(String prefix, String text) {
    if (FITTING.matcher(text).matches()) {
      return prefix + text;
    }
    String readable = OTHERS.matcher(text).replaceAll("-");
    return prefix + readable.substring(0, Math.min(readable.length(), READABLE)) + "." + hash(text);
  }

  /** Equal for equal content only. */
  static String hash(String content) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(content.getBytes(UTF_8));
      return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }
}

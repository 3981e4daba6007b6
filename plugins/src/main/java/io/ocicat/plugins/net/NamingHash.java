package io.ocicat.plugins.net;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The hash by which CNI plugins make names of limited length, ours and the Go ones alike: the
 * beginning of SHA-512, in hexadecimal.
 */
public final class NamingHash {
  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz234567";

  private NamingHash() {}

  /** The first {@code digits} of the hash of a text. */
  public static String of(String text, int digits) {
    return HexFormat.of().formatHex(bytes(text)).substring(0, digits);
  }

  /** A prefix and as much of the hash as makes a name of that length. */
  public static String name(String prefix, String text, int length) {
    return prefix + of(text, length - prefix.length());
  }

  /**
   * The hash as a word of letters and the digits 2 to 7, five bits each. Where a set of nf_tables
   * is to be keyed by a text, such a word of 15 is, as the name of an interface: that is the one
   * text nft knows as a key.
   */
  public static String word(String text, int letters) {
    byte[] hash = bytes(text);
    StringBuilder word = new StringBuilder(letters);
    for (int i = 0; i < letters; i++) {
      word.append(LETTERS.charAt(hash[i] & 31));
    }
    return word.toString();
  }

  /** All 64 bytes of it. */
  private static byte[] bytes(String text) {
    try {
      return MessageDigest.getInstance("SHA-512").digest(text.getBytes(UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-512", e);
    }
  }
}

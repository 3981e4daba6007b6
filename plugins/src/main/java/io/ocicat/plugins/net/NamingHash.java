package io.ocicat.plugins.net;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The hash with which CNI plugins, ours and the Go ones alike, build names of limited length: the
 * beginning of SHA-512, in hexadecimal.
 */
public final class NamingHash {
  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz234567";

  private NamingHash() {}

  /** The first {@code digits} of the hash of a text. */
  public static String of(String text, int digits) {
    return HexFormat.of().formatHex(bytes(text)).substring(0, digits);
  }

  /** A prefix followed by as much of the hash as fits the length. */
  public static String name(String prefix, String text, int length) {
    return prefix + of(text, length - prefix.length());
  }

  /**
   * The hash in base 32: letters and the digits 2 to 7, five bits each. Where a set in nf_tables
   * needs a text key, 15 of these serve as an interface name, the only text key nft knows.
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

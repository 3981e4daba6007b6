package io.ocicat.image.files;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.base.Quoted;

/**
 * File names as the kernel has them: bytes, which need not be text in any encoding. Within this
 * module such a name is a string of one character per byte, so that no name is changed or refused
 * on its way from an archive to the disk, whatever the locale.
 */
public final class RawName {
  private RawName() {}

  public static String ofText(String text) {
    return of(text.getBytes(UTF_8));
  }

  public static String of(byte[] bytes) {
    return new String(bytes, ISO_8859_1);
  }

  public static String of(byte[] bytes, int from, int length) {
    return new String(bytes, from, length, ISO_8859_1);
  }

  public static byte[] bytes(String rawName) {
    return rawName.getBytes(ISO_8859_1);
  }

  /** The name as text; bytes that are not UTF-8 become U+FFFD. */
  public static String text(String rawName) {
    return new String(bytes(rawName), UTF_8);
  }

  /** The name in quotes for messages, without control characters, and not at any length. */
  public static String quoted(String rawName) {
    return Quoted.brief(text(rawName));
  }
}

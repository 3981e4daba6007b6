package io.ocicat.conformance.lab;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Quotes text so that a POSIX shell reads exactly it, and a terminal shows it harmlessly. */
final class Shell {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:=,@%+^-]+");

  private Shell() {}

  /**
   * Quotes one word. Line breaks stay as they are; other control characters are the caller's
   * concern.
   */
  static String quote(String text) {
    return PLAIN.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
  }

  /**
   * A command that prints the bytes, every one that could disturb a terminal as an octal number.
   */
  static String print(byte[] bytes) {
    StringBuilder format = new StringBuilder();
    for (byte b : bytes) {
      switch (b) {
        case '%' -> format.append("%%");
        case '\\' -> format.append("\\\\");
        case '\'' -> format.append("'\\''");
        default -> format.append(b >= ' ' && b < 0x7f ? (char) b : octal(b));
      }
    }
    return "printf '" + format + "'";
  }

  static boolean isPresentable(String text) {
    return text.codePoints().noneMatch(c -> c != '\n' && Character.isISOControl(c));
  }

  /** A command that prints the text. */
  static String print(String text) {
    return isPresentable(text)
        ? "printf %s " + quote(text)
        : print(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String octal(byte b) {
    return "\\%03o".formatted(Byte.toUnsignedInt(b));
  }
}

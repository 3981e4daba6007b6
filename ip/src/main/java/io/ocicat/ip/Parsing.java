package io.ocicat.ip;

import java.util.Optional;
import java.util.function.Function;

/** What the three parsers share: error messages, digits, and parse in terms of tryParse. */
final class Parsing {
  private Parsing() {}

  static IllegalArgumentException refuse(String text, String what, String why) {
    return new IllegalArgumentException(QuotedText.of(text) + " is not " + what + ": " + why);
  }

  static <T> Optional<T> attempt(String text, Function<String, T> parse) {
    try {
      return Optional.of(parse.apply(text));
    } catch (IllegalArgumentException refused) {
      return Optional.empty();
    }
  }

  /** The value of an ASCII hexadecimal digit, or -1: Character.digit would accept other scripts. */
  static int hexDigit(char c) {
    if (c >= '0' && c <= '9') {
      return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
      return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'F') {
      return c - 'A' + 10;
    }
    return -1;
  }

  static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}

package io.ocicat.ip;

/**
 * Quotes rejected input in error messages. Input may be hostile: the quoted text is short and
 * contains no control characters.
 */
final class QuotedText {
  private static final int SHOWN = 64;

  private QuotedText() {}

  static String of(String text) {
    StringBuilder shown = new StringBuilder().append('"');
    text.codePoints()
        .limit(SHOWN)
        .forEach(
            c -> {
              if (c == '"' || c == '\\') {
                shown.append('\\').appendCodePoint(c);
              } else if (Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE) {
                shown.append(String.format("\\u%04x", c));
              } else {
                shown.appendCodePoint(c);
              }
            });
    return shown.append(text.length() > SHOWN ? "…\"" : "\"").toString();
  }
}

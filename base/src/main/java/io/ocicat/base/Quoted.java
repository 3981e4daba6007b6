package io.ocicat.base;

/**
 * Text in double quotes as Go's %q writes it. Runtimes match on messages made so, and control
 * characters of hostile input cannot reach a terminal or a log line.
 */
public final class Quoted {
  private static final int BRIEF = 80;

  private Quoted() {}

  public static String of(String text) {
    StringBuilder out = new StringBuilder(text.length() + 2).append('"');
    text.codePoints().forEach(c -> append(out, c));
    return out.append('"').toString();
  }

  /** At most the first 80 characters. */
  public static String brief(String text) {
    if (text.length() <= BRIEF) {
      return of(text);
    }
    int end = Character.isHighSurrogate(text.charAt(BRIEF - 1)) ? BRIEF - 1 : BRIEF;
    String start = of(text.substring(0, end));
    return start.substring(0, start.length() - 1) + "…\"";
  }

  /** As Go prints a list of quoted texts: {@code ["a" "b"]}. */
  public static String list(Iterable<String> texts) {
    StringBuilder out = new StringBuilder("[");
    for (String text : texts) {
      out.append(out.length() > 1 ? " " : "").append(of(text));
    }
    return out.append(']').toString();
  }

  private static void append(StringBuilder out, int c) {
    switch (c) {
      case '"' -> out.append("\\\"");
      case '\\' -> out.append("\\\\");
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      case '\b' -> out.append("\\b");
      case '\f' -> out.append("\\f");
      case 0x07 -> out.append("\\a");
      case 0x0b -> out.append("\\v");
      default -> {
        if (printable(c)) {
          out.appendCodePoint(c);
        } else if (c < 0x80) {
          out.append(String.format("\\x%02x", c));
        } else {
          out.append(String.format(c <= 0xffff ? "\\u%04x" : "\\U%08x", c));
        }
      }
    }
  }

  private static boolean printable(int c) {
    if (c < 0x80) {
      return c >= 0x20 && c < 0x7f;
    }
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SPACE_SEPARATOR ->
          false;
      default -> true;
    };
  }
}

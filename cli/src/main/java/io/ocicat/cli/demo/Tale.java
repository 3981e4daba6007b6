package io.ocicat.cli.demo;

import java.io.PrintWriter;
import java.util.Locale;

/**
 * What the reader is told, as it happens.
 *
 * @param colours whether the terminal shows them
 */
record Tale(PrintWriter out, boolean colours) {
  private static final String INDENT = "   ";

  void title(String text) {
    line(paint("1", text));
  }

  /** A chapter, announced before its work is done. */
  void chapter(int number, String text) {
    line("");
    line(paint("1;36", number + "  " + text));
  }

  void say(String text) {
    line(INDENT + text);
  }

  /** A command that the reader could type. */
  void command(String text) {
    line(INDENT + paint("33", "$ " + text));
  }

  void fine(String text) {
    line(INDENT + paint("32", "✓ ") + text);
  }

  void dim(String text) {
    line(INDENT + paint("2", text));
  }

  void line(String text) {
    out.println(text);
    out.flush();
  }

  String paint(String colour, String text) {
    return colours ? "\u001b[" + colour + "m" + text + "\u001b[0m" : text;
  }

  static String seconds(long nanos) {
    return String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
  }

  static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.2f ms", nanos / 1e6);
  }
}

package io.ocicat.cli.demo;

import io.ocicat.cli.terminal.Wrapping;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/**
 * Prints the demo's text as it happens, in lines no wider than the terminal.
 *
 * @param colours whether the terminal shows them
 * @param width of the terminal in columns
 */
record DemoNarrator(PrintWriter out, boolean colours, int width) {
  private static final String INDENT = "   ";

  void title(String text) {
    Wrapping.wrap(text, width).forEach(line -> line(paint("1", line)));
  }

  /** A chapter's heading, printed before its work is done. */
  void chapter(int number, String text) {
    line("");
    line(paint("1;36", number + "  " + text));
  }

  /** A paragraph. */
  void paragraph(String text) {
    Wrapping.wrap(text, room()).forEach(this::show);
  }

  /** A line that is already laid out. */
  void show(String text) {
    line(INDENT + text);
  }

  /** A command that the user could type, continued on further lines where it is long. */
  void command(String text) {
    List<String> lines = Wrapping.wrap(text, room() - 6);
    for (int i = 0; i < lines.size(); i++) {
      String start = i == 0 ? "$ " : "    ";
      String end = i == lines.size() - 1 ? "" : " \\";
      show(paint("33", start + lines.get(i) + end));
    }
  }

  void fine(String text) {
    List<String> lines =
        text.length() <= room() - 2 ? List.of(text) : Wrapping.wrap(text, room() - 2);
    for (int i = 0; i < lines.size(); i++) {
      show((i == 0 ? paint("32", "✓ ") : "  ") + lines.get(i));
    }
  }

  void dim(String text) {
    Wrapping.wrap(text, room()).forEach(line -> show(paint("2", line)));
  }

  /** A paragraph that is not part of a chapter. */
  void close(String text) {
    line("");
    Wrapping.wrap(text, width).forEach(this::line);
  }

  void line(String text) {
    out.println(text);
    out.flush();
  }

  /** The columns that are left after the indent. */
  int room() {
    return width - INDENT.length();
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

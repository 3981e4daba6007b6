package io.ocicat.cli.terminal;

import java.util.ArrayList;
import java.util.List;

/** Breaks text into lines between words; only a word longer than a line is broken itself. */
public final class Wrapping {
  private Wrapping() {}

  /**
   * At least one line, each at most that wide.
   *
   * @param width of each line, at least 1
   */
  public static List<String> wrap(String text, int width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : text.strip().split("\\s+", -1)) {
      if (!line.isEmpty() && line.length() + 1 + word.length() > width) {
        lines.add(line.toString());
        line.setLength(0);
      }
      String rest = line.isEmpty() ? word : " " + word;
      while (line.isEmpty() && rest.length() > width) {
        lines.add(rest.substring(0, width));
        rest = rest.substring(width);
      }
      line.append(rest);
    }
    lines.add(line.toString());
    return lines;
  }
}

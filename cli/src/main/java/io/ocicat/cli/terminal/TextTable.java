package io.ocicat.cli.terminal;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Prints rows under headings, in columns as wide as necessary. Prints nothing when there is no row.
 */
public final class TextTable {
  private static final String GAP = "   ";

  private final List<List<String>> rows = new ArrayList<>();

  public TextTable(String... headings) {
    rows.add(List.of(headings));
  }

  public void row(String... cells) {
    if (cells.length != rows.getFirst().size()) {
      throw new IllegalArgumentException(cells.length + " cells in a table of " + rows.getFirst());
    }
    rows.add(List.of(cells));
  }

  public void printTo(PrintWriter out) {
    if (rows.size() == 1) {
      return;
    }
    int[] widths = new int[rows.getFirst().size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        line.append(row.get(i)).repeat(' ', widths[i] - row.get(i).length()).append(GAP);
      }
      out.println(line.toString().stripTrailing());
    }
  }
}

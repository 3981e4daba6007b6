package io.ocicat.cli.ipam;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Prints a table like calicoctl: headings centred, plain numbers to the right. */
final class BorderedTable {
  private static final Pattern NUMBER = Pattern.compile("\\d+(\\.\\d+)?(e\\+\\d+)?");

  private final List<String> headings;
  private final List<List<String>> rows = new ArrayList<>();

  BorderedTable(String... headings) {
    this.headings = List.of(headings);
  }

  void row(String... cells) {
    if (cells.length != headings.size()) {
      throw new IllegalArgumentException(cells.length + " cells in a table of " + headings);
    }
    rows.add(List.of(cells));
  }

  void printTo(PrintWriter out) {
    int[] widths = new int[headings.size()];
    for (int i = 0; i < widths.length; i++) {
      int column = i;
      widths[i] =
          rows.stream()
              .mapToInt(row -> row.get(column).length())
              .reduce(headings.get(i).length(), Math::max);
    }
    String line = line(widths);
    out.println(line);
    StringBuilder heading = new StringBuilder("|");
    for (int i = 0; i < widths.length; i++) {
      int room = widths[i] - headings.get(i).length();
      pad(heading, room / 2, headings.get(i), room - room / 2);
    }
    out.println(heading);
    out.println(line);
    for (List<String> row : rows) {
      StringBuilder text = new StringBuilder("|");
      for (int i = 0; i < widths.length; i++) {
        int room = widths[i] - row.get(i).length();
        boolean number = NUMBER.matcher(row.get(i)).matches();
        pad(text, number ? room : 0, row.get(i), number ? 0 : room);
      }
      out.println(text);
    }
    out.println(line);
  }

  private static void pad(StringBuilder text, int before, String cell, int after) {
    text.append(' ').repeat(' ', before).append(cell).repeat(' ', after).append(" |");
  }

  private static String line(int[] widths) {
    StringBuilder line = new StringBuilder("+");
    for (int width : widths) {
      line.repeat('-', width + 2).append('+');
    }
    return line.toString();
  }
}

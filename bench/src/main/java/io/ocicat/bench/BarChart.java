package io.ocicat.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Draws pairs of bars, Go's and ours, each pair on its own scale: what counts is the ratio. */
final class BarChart {
  private static final int WIDTH = 760;
  private static final int LABELS = 330;
  private static final int ROW = 46;
  private static final int BAR = 15;
  private static final int LONGEST = 300;

  private record Pair(String what, String unit, double go, double ours) {}

  private final List<Pair> pairs = new ArrayList<>();

  void add(String what, String unit, double go, double ours) {
    pairs.add(new Pair(what, unit, go, ours));
  }

  String svg() {
    StringBuilder out = new StringBuilder();
    out.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">\n"
            .formatted(WIDTH, ROW * pairs.size() + 40));
    out.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    text(out, LABELS, 20, "#888", "grey: Go   orange: ours");
    int y = 32;
    for (Pair pair : pairs) {
      double most = Math.max(pair.go(), pair.ours());
      text(out, 10, y + 20, "#222", pair.what());
      bar(out, y, "#bbb", pair.go(), most, pair.unit());
      bar(out, y + BAR + 2, "#e8833a", pair.ours(), most, pair.unit());
      y += ROW;
    }
    return out.append("</svg>\n").toString();
  }

  private static void bar(
      StringBuilder out, int y, String colour, double value, double most, String unit) {
    double length = most > 0 ? LONGEST * value / most : 0;
    out.append(
        String.format(
            Locale.ROOT,
            "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
            LABELS,
            y,
            length,
            BAR,
            colour));
    text(
        out,
        LABELS + (int) length + 6,
        y + BAR - 3,
        "#444",
        String.format(Locale.ROOT, "%.2f %s", value, unit));
  }

  private static void text(StringBuilder out, int x, int y, String colour, String text) {
    out.append("<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>%n".formatted(x, y, colour, text));
  }
}

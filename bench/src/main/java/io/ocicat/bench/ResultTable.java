package io.ocicat.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A table of measurements, each with its target and whether it was met. */
final class ResultTable {
  private final List<String> rows = new ArrayList<>();
  private final BarChart chart = new BarChart();

  /** Go's figure and ours, whose ratio counts. */
  void compare(String what, double go, double ours, String unit, TargetFigure target) {
    compare(what, "", go, ours, unit, target);
  }

  /** The same, and what the kernel alone takes. */
  void compare(
      String what, double floor, double go, double ours, String unit, TargetFigure target) {
    compare(what, number(floor, unit), go, ours, unit, target);
  }

  private void compare(
      String what, String floor, double go, double ours, String unit, TargetFigure target) {
    double ratio = ours / go;
    rows.add(
        row(
            what,
            floor,
            number(go, unit),
            number(ours, unit),
            String.format(Locale.ROOT, "%.2f ×", ratio),
            target.text(),
            target.verdict(ratio)));
    chart.add(what, unit, go, ours);
  }

  /** A figure of ours that counts by itself. */
  void add(String what, double ours, String unit, TargetFigure target) {
    rows.add(row(what, "", "", number(ours, unit), "", target.text(), target.verdict(ours)));
  }

  void print() {
    IO.println(row("", "floor", "Go", "ours", "ratio", "target", ""));
    rows.forEach(IO::println);
  }

  String svg() {
    return chart.svg();
  }

  private static String number(double value, String unit) {
    return String.format(Locale.ROOT, "%.2f %s", value, unit);
  }

  private static String row(
      String what,
      String floor,
      String go,
      String ours,
      String ratio,
      String target,
      String verdict) {
    return "%-48s %12s %12s %12s %8s   %-14s %s"
        .formatted(what, floor, go, ours, ratio, target, verdict)
        .stripTrailing();
  }
}

package io.ocicat.bench;

import java.util.Locale;
import java.util.function.DoublePredicate;

/** The target of a figure, and whether a value meets it. */
record TargetFigure(String text, DoublePredicate isMet) {
  /** Measured because it is worth knowing. */
  static final TargetFigure NONE = new TargetFigure("", _ -> true);

  static TargetFigure atMost(double limit, String unit) {
    return new TargetFigure("≤ " + brief(limit) + " " + unit, value -> value <= limit);
  }

  static TargetFigure atLeast(double limit, String unit) {
    return new TargetFigure("≥ " + brief(limit) + " " + unit, value -> value >= limit);
  }

  String verdict(double value) {
    if (text.isEmpty()) {
      return "";
    }
    return isMet.test(value) ? "met" : "MISSED";
  }

  private static String brief(double number) {
    return number == Math.rint(number)
        ? Long.toString((long) number)
        : String.format(Locale.ROOT, "%s", number);
  }
}

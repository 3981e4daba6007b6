package io.ocicat.bench;

import java.util.Locale;
import java.util.function.DoublePredicate;

/** What a figure should be. */
record Target(String text, DoublePredicate isMet) {
  /** Measured because it is worth knowing. */
  static final Target NONE = new Target("", _ -> true);

  static Target atMost(double limit, String unit) {
    return new Target("≤ " + brief(limit) + " " + unit, value -> value <= limit);
  }

  static Target atLeast(double limit, String unit) {
    return new Target("≥ " + brief(limit) + " " + unit, value -> value >= limit);
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

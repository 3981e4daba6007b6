package io.ocicat.sandbox;

import io.ocicat.base.Quoted;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses Kubernetes quantities: {@code 10M}, {@code 1.5Gi}, {@code 2e6}, {@code 500k}. */
final class Quantity {
  private static final Pattern FORM =
      Pattern.compile("([+-]?(?:\\d+\\.?\\d*|\\.\\d+))([eE][+-]?\\d{1,3}|[A-Za-z]{0,2})");
  private static final int LONGEST = 64;
  private static final int BINARY_STEP = 1024;
  private static final Map<String, BigDecimal> UNITS =
      Map.ofEntries(
          Map.entry("", BigDecimal.ONE),
          Map.entry("n", BigDecimal.valueOf(1, 9)),
          Map.entry("u", BigDecimal.valueOf(1, 6)),
          Map.entry("m", BigDecimal.valueOf(1, 3)),
          Map.entry("k", BigDecimal.valueOf(1, -3)),
          Map.entry("M", BigDecimal.valueOf(1, -6)),
          Map.entry("G", BigDecimal.valueOf(1, -9)),
          Map.entry("T", BigDecimal.valueOf(1, -12)),
          Map.entry("P", BigDecimal.valueOf(1, -15)),
          Map.entry("E", BigDecimal.valueOf(1, -18)),
          Map.entry("Ki", BigDecimal.valueOf(BINARY_STEP)),
          Map.entry("Mi", BigDecimal.valueOf(BINARY_STEP).pow(2)),
          Map.entry("Gi", BigDecimal.valueOf(BINARY_STEP).pow(3)),
          Map.entry("Ti", BigDecimal.valueOf(BINARY_STEP).pow(4)),
          Map.entry("Pi", BigDecimal.valueOf(BINARY_STEP).pow(5)),
          Map.entry("Ei", BigDecimal.valueOf(BINARY_STEP).pow(6)));

  private Quantity() {}

  /**
   * Returns the integer value, rounded up as in Kubernetes.
   *
   * @throws IllegalArgumentException when it is not a quantity
   */
  static BigDecimal parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (text.length() > LONGEST || !matcher.matches()) {
      throw notOne(text);
    }
    String suffix = matcher.group(2);
    BigDecimal number = new BigDecimal(matcher.group(1));
    BigDecimal unit = UNITS.get(suffix);
    if (unit != null) {
      return number.multiply(unit).setScale(0, RoundingMode.UP);
    }
    if (suffix.length() < 2 || Character.isLetter(suffix.charAt(1))) {
      throw notOne(text);
    }
    return number
        .scaleByPowerOfTen(Integer.parseInt(suffix.substring(1)))
        .setScale(0, RoundingMode.UP);
  }

  private static IllegalArgumentException notOne(String text) {
    return new IllegalArgumentException(
        Quoted.brief(text) + " is not a quantity such as 10M, 512Ki or 2e6");
  }
}

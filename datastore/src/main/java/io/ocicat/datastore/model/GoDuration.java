package io.ocicat.datastore.model;

import io.ocicat.base.Quoted;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as Go's time package reads and writes them. */
public final class GoDuration {
  private static final Pattern WHOLE =
      Pattern.compile("[-+]?(0|((\\d+\\.?\\d*|\\.\\d+)(ns|us|µs|μs|ms|s|m|h))+)");
  private static final Pattern PART =
      Pattern.compile("(\\d+\\.?\\d*|\\.\\d+)(ns|us|µs|μs|ms|s|m|h)");
  private static final Map<String, Long> NANOSECONDS =
      Map.of(
          "ns", 1L,
          "us", 1_000L,
          "µs", 1_000L,
          "μs", 1_000L,
          "ms", 1_000_000L,
          "s", 1_000_000_000L,
          "m", 60_000_000_000L,
          "h", 3_600_000_000_000L);
  private static final long SECOND = 1_000_000_000L;

  private GoDuration() {}

  /**
   * Reads a duration, as in 1m30s.
   *
   * @throws IllegalArgumentException when it is not a duration, or longer than 292 years
   */
  public static Duration parse(String text) {
    Duration length = Duration.ofNanos(nanoseconds(text));
    return text.startsWith("-") ? length.negated() : length;
  }

  /**
   * Normalises a duration as Go writes it: 120s is 2m0s.
   *
   * @throws IllegalArgumentException when it is not a duration, or longer than 292 years
   */
  static String normal(String text) {
    String written = write(nanoseconds(text));
    return text.startsWith("-") && !written.equals("0s") ? "-" + written : written;
  }

  /** Writes a duration that is not negative as Go does. */
  public static String text(Duration length) {
    return write(length.toNanos());
  }

  /** The length without its sign. */
  private static long nanoseconds(String text) {
    if (!WHOLE.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "must be a duration as in 90s or 1m30s, not " + Quoted.brief(text));
    }
    BigDecimal sum = BigDecimal.ZERO;
    Matcher part = PART.matcher(text);
    while (part.find()) {
      long unit = NANOSECONDS.getOrDefault(part.group(2), 1L);
      String number = part.group(1).startsWith(".") ? "0" + part.group(1) : part.group(1);
      sum = sum.add(new BigDecimal(number).multiply(BigDecimal.valueOf(unit)));
    }
    if (sum.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
      throw new IllegalArgumentException(
          "must be a duration of at most 292 years, not " + Quoted.brief(text));
    }
    return sum.longValue();
  }

  private static String write(long nanoseconds) {
    if (nanoseconds < SECOND) {
      return nanoseconds == 0
          ? "0s"
          : nanoseconds < 1_000
              ? nanoseconds + "ns"
              : nanoseconds < 1_000_000
                  ? fraction(nanoseconds, 3) + "µs"
                  : fraction(nanoseconds, 6) + "ms";
    }
    long seconds = nanoseconds / SECOND;
    String rest = fraction(nanoseconds - seconds / 60 * 60 * SECOND, 9) + "s";
    long minutes = seconds / 60;
    return minutes == 0
        ? rest
        : minutes < 60 ? minutes + "m" + rest : minutes / 60 + "h" + minutes % 60 + "m" + rest;
  }

  private static String fraction(long value, int digits) {
    return BigDecimal.valueOf(value, digits).stripTrailingZeros().toPlainString();
  }
}

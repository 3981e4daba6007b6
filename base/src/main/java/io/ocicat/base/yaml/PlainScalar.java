package io.ocicat.base.yaml;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * What text without quotes means to Kubernetes' tools and to calicoctl, which read YAML 1.1 by
 * go-yaml 2: {@code yes} and {@code on} are true, {@code 032} is 26, {@code 1_000} is 1000, {@code
 * 2026-02-03} is midnight; but no numbers of base 60.
 */
final class PlainScalar {
  private static final Set<String> TRUE =
      Set.of("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON");
  private static final Set<String> FALSE =
      Set.of("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF");
  private static final Set<String> NULL = Set.of("", "~", "null", "Null", "NULL");
  private static final Pattern WHOLE =
      Pattern.compile("([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))");
  private static final Map<Integer, Integer> BASES = Map.of(2, 16, 3, 2, 4, 8, 5, 10);
  private static final Pattern FRACTION =
      Pattern.compile("[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?");
  private static final Pattern DATE = Pattern.compile("(\\d{4})-(\\d{1,2})-(\\d{1,2})");

  /** Beyond this Go writes a number with an exponent, which no whole number is read from. */
  private static final double MAX_WHOLE = 1e21;

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private PlainScalar() {}

  static JsonNode read(String text) {
    if (TRUE.contains(text) || FALSE.contains(text)) {
      return NODES.booleanNode(TRUE.contains(text));
    }
    if (NULL.contains(text)) {
      return NODES.nullNode();
    }
    char first = text.charAt(0);
    if (first != '+' && first != '-' && first != '.' && !Character.isDigit(first)) {
      return NODES.stringNode(text);
    }
    Matcher date = DATE.matcher(text);
    if (date.matches()) {
      return NODES.stringNode(
          "%s-%2s-%2sT00:00:00Z"
              .formatted(date.group(1), date.group(2), date.group(3))
              .replace(' ', '0'));
    }
    String digits = text.replace("_", "");
    return whole(digits).or(() -> fraction(digits)).orElseGet(() -> NODES.stringNode(text));
  }

  private static Optional<JsonNode> whole(String digits) {
    Matcher number = WHOLE.matcher(digits);
    if (!number.matches()) {
      return Optional.empty();
    }
    for (Map.Entry<Integer, Integer> base : BASES.entrySet()) {
      if (number.group(base.getKey()) != null) {
        BigInteger value = new BigInteger(number.group(base.getKey()), base.getValue());
        return whole(number.group(1).equals("-") ? value.negate() : value);
      }
    }
    return Optional.empty();
  }

  /** What 64 bits hold; more is a fraction to Go. */
  private static Optional<JsonNode> whole(BigInteger value) {
    if (value.bitLength() > Long.SIZE || (value.signum() < 0 && value.bitLength() >= Long.SIZE)) {
      return Optional.empty();
    }
    return Optional.of(
        value.bitLength() < Integer.SIZE
            ? NODES.numberNode(value.intValueExact())
            : value.bitLength() < Long.SIZE
                ? NODES.numberNode(value.longValueExact())
                : NODES.numberNode(value));
  }

  private static Optional<JsonNode> fraction(String digits) {
    if (!FRACTION.matcher(digits).matches()) {
      return Optional.empty();
    }
    double value = Double.parseDouble(digits);
    if (Double.isInfinite(value)) {
      return Optional.empty();
    }
    if (value == Math.rint(value) && Math.abs(value) < MAX_WHOLE) {
      BigInteger integer = BigDecimal.valueOf(value).toBigInteger();
      Optional<JsonNode> whole = whole(integer);
      return whole.isPresent() ? whole : Optional.of(NODES.numberNode(integer));
    }
    return Optional.of(NODES.numberNode(BigDecimal.valueOf(value)));
  }
}

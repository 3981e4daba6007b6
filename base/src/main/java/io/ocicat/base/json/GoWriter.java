package io.ocicat.base.json;

import java.math.BigDecimal;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * Writes as Go's encoding/json does, so that a value rewritten here is byte for byte what Calico
 * would have written: no white space, {@code <}, {@code >}, {@code &} and the two line separators
 * escaped, half a surrogate pair replaced, floating-point numbers in Go's choice of notation.
 */
public final class GoWriter {
  private static final char[] HEX = "0123456789abcdef".toCharArray();
  private static final BigDecimal SMALLEST_PLAIN = new BigDecimal("1e-6");
  private static final BigDecimal LARGEST_PLAIN = new BigDecimal("1e21");

  private final StringBuilder out = new StringBuilder(256);

  private GoWriter() {}

  public static String write(JsonNode node) {
    GoWriter writer = new GoWriter();
    writer.value(node);
    return writer.out.toString();
  }

  private void value(JsonNode node) {
    switch (node.getNodeType()) {
      case OBJECT -> object(node);
      case ARRAY -> array(node);
      case STRING -> text(node.stringValue());
      case BOOLEAN -> out.append(node.booleanValue());
      case NULL -> out.append("null");
      case NUMBER -> number(node);
      case BINARY, MISSING, POJO ->
          throw new IllegalArgumentException(node.getNodeType() + " is not a JSON value");
    }
  }

  private void object(JsonNode node) {
    char separator = '{';
    for (Map.Entry<String, JsonNode> member : node.properties()) {
      out.append(separator);
      text(member.getKey());
      out.append(':');
      value(member.getValue());
      separator = ',';
    }
    out.append(separator == '{' ? "{}" : "}");
  }

  private void array(JsonNode node) {
    char separator = '[';
    for (JsonNode item : node.values()) {
      out.append(separator);
      value(item);
      separator = ',';
    }
    out.append(separator == '[' ? "[]" : "]");
  }

  private void number(JsonNode node) {
    if (node.canConvertToLong() && node.isIntegralNumber()) {
      out.append(node.longValue());
      return;
    }
    if (node.isIntegralNumber()) {
      out.append(node.bigIntegerValue());
      return;
    }
    BigDecimal number = node.decimalValue();
    BigDecimal size = number.abs();
    boolean plain =
        number.signum() == 0
            || (size.compareTo(SMALLEST_PLAIN) >= 0 && size.compareTo(LARGEST_PLAIN) < 0);
    BigDecimal shortest = number.signum() == 0 ? BigDecimal.ZERO : number.stripTrailingZeros();
    out.append(plain ? shortest.toPlainString() : exponent(shortest));
  }

  /** As in 1e+21 and 1.5e-7. */
  private static String exponent(BigDecimal number) {
    String digits = number.unscaledValue().abs().toString();
    int exponent = digits.length() - 1 - number.scale();
    return (number.signum() < 0 ? "-" : "")
        + digits.charAt(0)
        + (digits.length() > 1 ? "." + digits.substring(1) : "")
        + (exponent < 0 ? "e-" : "e+")
        + Math.abs(exponent);
  }

  private void text(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        case '\b' -> out.append("\\b");
        case '\f' -> out.append("\\f");
        case '<', '>', '&', '\u2028', '\u2029' -> escape(c);
        default -> {
          if (c < ' ') {
            escape(c);
          } else if (!Character.isSurrogate(c)) {
            out.append(c);
          } else if (i + 1 < text.length() && Character.isSurrogatePair(c, text.charAt(i + 1))) {
            out.append(c).append(text.charAt(++i));
          } else {
            escape('\ufffd');
          }
        }
      }
    }
    out.append('"');
  }

  private void escape(char c) {
    out.append("\\u")
        .append(HEX[c >> 12])
        .append(HEX[c >> 8 & 15])
        .append(HEX[c >> 4 & 15])
        .append(HEX[c & 15]);
  }
}

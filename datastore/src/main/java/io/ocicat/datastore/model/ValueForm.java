package io.ocicat.datastore.model;

import io.ocicat.base.Quoted;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** Forms of values with several notations. {@link #normal} is the one that Calico stores. */
enum ValueForm {
  PLAIN {
    @Override
    JsonNode normal(JsonNode value) {
      return value;
    }
  },
  /** A 32-bit number, or two 16-bit numbers with a dot; stored as one number. */
  AS_NUMBER {
    @Override
    JsonNode normal(JsonNode value) {
      if (value.isIntegralNumber()) {
        return value;
      }
      String text = value.asString("");
      Matcher parts = AS_TEXT.matcher(text);
      if (!parts.matches()) {
        throw new IllegalArgumentException(
            "must be an AS number, as in 64512 or 1.10, not " + Quoted.brief(text));
      }
      long low = Long.parseLong(parts.group(1));
      if (parts.group(3) == null) {
        return whole(low);
      }
      long high = low;
      low = Long.parseLong(parts.group(3));
      if (high > MAX_16 || low > MAX_16) {
        throw new IllegalArgumentException(
            "must be an AS number of two numbers of 0–65535, not " + Quoted.brief(text));
      }
      return whole((high << 16) + low);
    }
  },
  /** Go's durations: 120s is stored as 2m0s. */
  DURATION {
    @Override
    JsonNode normal(JsonNode value) {
      return text(GoDuration.normal(value.asString("")));
    }
  },
  /** A port, a range as in 8080:8090, or the name of an endpoint's port. */
  PORT {
    @Override
    JsonNode normal(JsonNode value) {
      String text = value.asString("");
      Matcher range = PORTS.matcher(text);
      if (!value.isString() || !range.matches()) {
        return value;
      }
      long from = port(range.group(1));
      long to = range.group(3) == null ? from : port(range.group(3));
      if (from > to) {
        throw new IllegalArgumentException(
            "must be a range within 1–65535 from low to high, not " + Quoted.brief(text));
      }
      return from == to ? whole(from) : text(from + ":" + to);
    }

    private long port(String digits) {
      long port = digits.length() > 9 ? Long.MAX_VALUE : Long.parseLong(digits);
      if (port < 1 || port > MAX_16) {
        throw new IllegalArgumentException("must be 1–65535, not " + digits);
      }
      return port;
    }
  },
  /** The name of a protocol or its number, which may be written as text. */
  PROTOCOL {
    @Override
    JsonNode normal(JsonNode value) {
      return octet(value);
    }
  },
  /** A differentiated services code point: its name or its number. */
  DSCP {
    @Override
    JsonNode normal(JsonNode value) {
      return octet(value);
    }
  };

  private static final long MAX_16 = 0xffff;
  private static final Pattern AS_TEXT = Pattern.compile("(\\d{1,10})(\\.(\\d{1,5}))?");
  private static final Pattern PORTS = Pattern.compile("(\\d+)(:(\\d+))?");
  private static final Pattern OCTET = Pattern.compile("\\d{1,3}");

  /**
   * Returns the value as stored.
   *
   * @throws IllegalArgumentException saying, as the rest of a sentence, why it is invalid
   */
  abstract JsonNode normal(JsonNode value);

  /** Returns the value as stored, or unchanged when it is invalid. */
  JsonNode normalOrSame(JsonNode value) {
    try {
      return normal(value);
    } catch (IllegalArgumentException _) {
      return value;
    }
  }

  private static JsonNode octet(JsonNode value) {
    String text = value.asString("");
    return value.isString() && OCTET.matcher(text).matches() && Integer.parseInt(text) <= 255
        ? whole(Integer.parseInt(text))
        : value;
  }

  /** A number as it is read from JSON. */
  static JsonNode whole(long number) {
    return (int) number == number
        ? JsonNodeFactory.instance.numberNode((int) number)
        : JsonNodeFactory.instance.numberNode(number);
  }

  private static JsonNode text(String text) {
    return JsonNodeFactory.instance.stringNode(text);
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}

package io.ocicat.datastore.model;

import io.ocicat.base.Quoted;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A constraint on a value of the right type. All but {@link Format} are part of a schema. */
sealed interface ValueLimit {

  /** Returns why a value is invalid, as the rest of a sentence; null when valid. */
  @Nullable String problem(JsonNode value);

  /** Adds the limit to the schema of a field. */
  void describe(ObjectNode schema);

  /** A maximum number of characters. */
  record Length(int max) implements ValueLimit {
    @Override
    public @Nullable String problem(JsonNode value) {
      String text = value.asString("");
      int length = text.codePointCount(0, text.length());
      return !value.isString() || length <= max
          ? null
          : "must have at most %d characters, not %d".formatted(max, length);
    }

    @Override
    public void describe(ObjectNode schema) {
      schema.put("maxLength", max);
    }
  }

  /** An integer range, inclusive. */
  record Range(long min, long max) implements ValueLimit {
    @Override
    public @Nullable String problem(JsonNode value) {
      if (!value.isIntegralNumber()) {
        return null;
      }
      boolean inside =
          value.canConvertToLong() && value.longValue() >= min && value.longValue() <= max;
      return inside ? null : "must be %d–%d, not %s".formatted(min, max, value.bigIntegerValue());
    }

    @Override
    public void describe(ObjectNode schema) {
      if (min != Long.MIN_VALUE) {
        schema.set("minimum", ValueForm.whole(min));
      }
      if (max != Long.MAX_VALUE) {
        schema.set("maximum", ValueForm.whole(max));
      }
    }
  }

  /** One of a few texts, case-sensitive. */
  record OneOf(List<String> allowed) implements ValueLimit {
    public OneOf {
      allowed = List.copyOf(allowed);
    }

    @Override
    public @Nullable String problem(JsonNode value) {
      return allowed.contains(value.asString(""))
          ? null
          : allowed.stream()
              .map(value.isString() ? Quoted::brief : String::valueOf)
              .collect(
                  Collectors.joining(
                      ", ",
                      "must be one of ",
                      ", not "
                          + (value.isString()
                              ? Quoted.brief(value.stringValue())
                              : value.asString(""))));
    }

    @Override
    public void describe(ObjectNode schema) {
      boolean numbers = schema.path("type").asString("").equals("integer");
      var list = schema.putArray("enum");
      for (String one : allowed) {
        if (numbers) {
          list.add(Integer.parseInt(one));
        } else {
          list.add(one);
        }
      }
    }
  }

  /** Text with a match of a regular expression; {@code must} says so in words. */
  record Matches(Pattern pattern, String must) implements ValueLimit {
    @Override
    public @Nullable String problem(JsonNode value) {
      return !value.isString() || pattern.matcher(value.stringValue()).find()
          ? null
          : must + ", not " + Quoted.brief(value.stringValue());
    }

    @Override
    public void describe(ObjectNode schema) {
      schema.put("pattern", pattern.pattern());
    }
  }

  /** A format that no schema can express. */
  record Format(String name, Shape.Rule rule) implements ValueLimit {
    @Override
    public @Nullable String problem(JsonNode value) {
      return rule.problem(value);
    }

    @Override
    public void describe(ObjectNode schema) {
      // The API server accepts any text; writes through this program are checked.
    }
  }

  /** One of a few texts in any case, or empty: as Felix reads its settings. */
  static ValueLimit anyCase(List<String> allowed) {
    return new Matches(
        Pattern.compile("^(?i)(" + String.join("|", allowed) + ")?$"),
        "must be one of %s in any case".formatted(String.join(", ", allowed)));
  }
}

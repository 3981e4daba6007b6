package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.duration;
import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.flag;
import static io.ocicat.datastore.model.Shape.structs;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;
import static io.ocicat.datastore.model.Shape.whole;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads the fields of an object from a text table, one line each; the table's header explains the
 * format.
 */
final class FieldTable {
  private static final Pattern LINE = Pattern.compile("(\\w+) (\\w+)([?!]?)((?: \\S+)*) : (.*)");
  private static final Pattern RANGE = Pattern.compile("(-?\\d+)\\.\\.(-?\\d+)");
  private static final String FILTER = "[a-zA-Z0-9:._+-]{1,15}";

  /** Calico's own pattern, which has a backslash too many and so rejects fractions. */
  private static final String WHOLE_UNITS = "^([0-9]+(\\\\.[0-9]+)?(ms|s|m|h))*$";

  private static final String FRACTIONS = "^([0-9]+(\\.[0-9]+)?(ms|s|m|h))*$";

  private static final Map<String, ValueLimit> FORMATS =
      Map.ofEntries(
          Map.entry("ipv4", ValueRules.IPV4),
          Map.entry("ipv6", ValueRules.IPV6),
          Map.entry("regex", ValueRules.REGEX),
          Map.entry("label", ValueRules.LABEL_NAME),
          Map.entry("interface", ValueRules.INTERFACE_NAME),
          Map.entry(
              "host",
              matches("^[a-zA-Z0-9:._+-]{1,64}$", "1–64 letters, digits, :, ., _, + and -")),
          Map.entry("interfacefilter", matches("^" + FILTER + "$", "an interface, + for the rest")),
          Map.entry(
              "features",
              matches(
                  "^([a-zA-Z0-9-_]+=(true|false|),)*([a-zA-Z0-9-_]+=(true|false|))?$",
                  "name=true or name=false, with commas between")),
          Map.entry(
              "gates",
              matches(
                  "^([a-zA-Z0-9-_]+=([^=]+),)*([a-zA-Z0-9-_]+=([^=]+))?$",
                  "name=value, with commas between")),
          Map.entry("prefix", matches("^([a-zA-Z0-9%: /_-])*$", "letters, digits, %, :, /, _, -")),
          Map.entry(
              "rate",
              matches("^[1-9]\\d{0,3}/(?:second|minute|hour|day)$", "a rate as in 10/minute")));

  private FieldTable() {}

  private static ValueLimit matches(String regex, String what) {
    return new ValueLimit.Matches(Pattern.compile(regex), "must be " + what);
  }

  static List<Shape.Member> read(String resource) {
    try (InputStream in = Objects.requireNonNull(FieldTable.class.getResourceAsStream(resource))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(FieldTable::member)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + resource, e);
    }
  }

  private static Shape.Member member(String line) {
    Matcher parts = LINE.matcher(line);
    if (!parts.matches()) {
      throw new IllegalStateException("not a field: " + line);
    }
    String limits = parts.group(4).strip();
    Shape.Member member = typed(parts.group(1), parts.group(2), parts.group(5), limits);
    for (String limit : limits.isEmpty() ? new String[0] : limits.split(" ")) {
      member = limited(member, limit);
    }
    return switch (parts.group(3)) {
      case "?" -> member.ifPresent();
      case "!" -> member.always();
      default -> member;
    };
  }

  private static Shape.Member typed(String name, String type, String words, String limits) {
    return switch (type) {
      case "text" -> text(name, words);
      case "flag" -> flag(name, words);
      case "whole" ->
          RANGE.matcher(limits).find()
              ? field(name, words, new Shape.Leaf(Shape.Type.WHOLE))
              : whole(name, words, Long.MIN_VALUE, Long.MAX_VALUE);
      case "duration" -> duration(name, words);
      case "interval" -> duration(name, words).is(units(WHOLE_UNITS, "without fractions"));
      case "fraction" -> duration(name, words).is(units(FRACTIONS, "that is not negative"));
      case "cidrs" -> texts(name, words).is(ValueRules.CIDR);
      case "cidrsv4" -> texts(name, words).is(ValueRules.CIDR_V4);
      case "interfacefilters" -> texts(name, words).is(format("interfacefilter"));
      case "port" -> field(name, words, RuleFields.PORT);
      case "portranges" ->
          field(name, words, new Shape.ListOf(RuleFields.PORT.and(noName()))).items(0, 7);
      case "dscp" -> field(name, words, Dscp.LEAF);
      case "protoports" -> structs(name, words, FelixConfigurationFields.PROTO_PORT);
      case "timeouts" -> structs(name, words, FelixConfigurationFields.TIMEOUT_OVERRIDE);
      case "conntracktimeouts" -> field(name, words, FelixConfigurationFields.CONNTRACK_TIMEOUTS);
      case "logfilters" ->
          field(
              name,
              words,
              new Shape.MapOf(FieldTable::interfaceName, new Shape.Leaf(Shape.Type.TEXT)));
      case "tableranges" -> structs(name, words, FelixConfigurationFields.TABLE_ID_RANGE);
      case "tablerange" -> field(name, words, FelixConfigurationFields.TABLE_RANGE);
      default -> throw new IllegalStateException("no such type: " + type);
    };
  }

  private static Shape.Member limited(Shape.Member member, String limit) {
    Matcher range = RANGE.matcher(limit);
    if (range.matches()) {
      return member.is(
          new ValueLimit.Range(Long.parseLong(range.group(1)), Long.parseLong(range.group(2))));
    }
    String value = limit.substring(limit.indexOf('=') + 1);
    return switch (limit.substring(0, limit.indexOf('='))) {
      case "max" -> member.max(Integer.parseInt(value));
      case "in" -> member.in(value.split(","));
      case "any" -> member.is(ValueLimit.anyCase(List.of(value.split(","))));
      case "is" -> member.is(format(value));
      case "default" -> member.initially(value);
      default -> throw new IllegalStateException("no such limit: " + limit);
    };
  }

  private static ValueLimit format(String name) {
    return Objects.requireNonNull(FORMATS.get(name), name);
  }

  private static ValueLimit units(String regex, String which) {
    return matches(regex, "a duration in h, m, s or ms " + which);
  }

  private static ValueLimit noName() {
    return new ValueLimit.Format(
        "numeric port", port -> isName(port) ? "must be a port or a range, not a name" : null);
  }

  private static boolean isName(JsonNode port) {
    return port.isString() && port.stringValue().indexOf(':') < 0;
  }

  private static @Nullable String interfaceName(String name) {
    return Pattern.matches("[a-zA-Z0-9_.-]{1,15}", name)
        ? null
        : "must be named by an interface: 1–15 letters, digits, _, . or -";
  }
}

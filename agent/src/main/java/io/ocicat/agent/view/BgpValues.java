package io.ocicat.agent.view;

import io.ocicat.base.Quoted;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.model.GoDuration;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.selector.Selector;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads the values of BGP resources from their JSON. The datastore admits only valid ones, but
 * others write to it, too: whatever is not valid is an {@link IllegalArgumentException} that names
 * the field.
 */
final class BgpValues {
  private static final long MAX_AS = 0xffff_ffffL;
  private static final Pattern HIGH_LOW = Pattern.compile("(\\d{1,5})\\.(\\d{1,5})");
  private static final Pattern DIGITS = Pattern.compile("\\d{1,10}");

  private BgpValues() {}

  /** Reads a resource; what is wrong with it is named together with it. */
  static <T> T read(Resource resource, Function<JsonNode, T> reader) {
    try {
      return resource.read(json -> reader.apply(json.path("spec")));
    } catch (IllegalArgumentException e) {
      throw new CorruptException("cannot be used: %s: correct it".formatted(e.getMessage()), e);
    }
  }

  /** An AS number; null when it is not given. */
  static @Nullable Long asNumber(JsonNode object, String field) {
    JsonNode value = object.path(field);
    return value.isMissingNode() || value.isNull() ? null : asNumber(field, value);
  }

  static long asNumber(String field, JsonNode value) {
    long number = -1;
    if (value.isIntegralNumber() && value.canConvertToLong()) {
      number = value.longValue();
    } else if (value.isString()) {
      number = asNumber(value.stringValue());
    }
    if (number < 1 || number > MAX_AS) {
      throw new IllegalArgumentException(
          "%s must be an AS number of 1–%d, not %s"
              .formatted(field, MAX_AS, Quoted.brief(value.asString(value.toString()))));
    }
    return number;
  }

  private static long asNumber(String text) {
    Matcher parts = HIGH_LOW.matcher(text);
    if (parts.matches()) {
      long high = Long.parseLong(parts.group(1));
      long low = Long.parseLong(parts.group(2));
      return high > 0xffff || low > 0xffff ? -1 : high << 16 | low;
    }
    return DIGITS.matcher(text).matches() ? Long.parseLong(text) : -1;
  }

  static String text(JsonNode object, String field) {
    return object.path(field).asString("");
  }

  /** A whole number in a range; null when it is not given. */
  static @Nullable Integer whole(JsonNode object, String field, int min, int max) {
    JsonNode value = object.path(field);
    if (value.isMissingNode() || value.isNull()) {
      return null;
    }
    if (!value.isIntegralNumber()
        || !value.canConvertToInt()
        || value.intValue() < min
        || value.intValue() > max) {
      throw new IllegalArgumentException(
          "%s must be %d–%d, not %s".formatted(field, min, max, Quoted.brief(value.toString())));
    }
    return value.intValue();
  }

  static @Nullable Boolean flag(JsonNode object, String field) {
    JsonNode value = object.path(field);
    return value.isBoolean() ? (Boolean) value.booleanValue() : null;
  }

  static @Nullable Duration duration(JsonNode object, String field) {
    String text = text(object, field);
    try {
      return text.isEmpty() ? null : GoDuration.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("%s %s".formatted(field, e.getMessage()), e);
    }
  }

  static @Nullable Selector selector(JsonNode object, String field) {
    String text = text(object, field);
    try {
      return text.isEmpty() ? null : Selector.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "%s is not a selector: %s".formatted(field, e.getMessage()), e);
    }
  }

  static @Nullable IpAddress address(JsonNode object, String field) {
    String text = text(object, field);
    return text.isEmpty()
        ? null
        : IpAddress.tryParse(text)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "%s must be an address, not %s".formatted(field, Quoted.brief(text))));
  }

  /** A network in its masked form: BIRD refuses the bits of a host. */
  static IpPrefix network(String field, String text) {
    return IpPrefix.tryParse(text)
        .map(IpPrefix::network)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "%s must be a network, not %s".formatted(field, Quoted.brief(text))));
  }

  static @Nullable SecretEntry password(JsonNode object, String field) {
    JsonNode reference = object.path(field).path("secretKeyRef");
    return reference.isObject()
        ? new SecretEntry(text(reference, "name"), text(reference, "key"))
        : null;
  }

  static List<String> texts(JsonNode object, String field) {
    List<String> texts = new ArrayList<>();
    object.path(field).values().forEach(item -> texts.add(item.asString("")));
    return List.copyOf(texts);
  }
}

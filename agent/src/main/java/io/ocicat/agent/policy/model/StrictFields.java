package io.ocicat.agent.policy.model;

import io.ocicat.base.Quoted;
import io.ocicat.datastore.selector.Selector;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * The fields of a JSON object, read strictly: a value of another type or form than expected is an
 * {@link IllegalArgumentException} that names the field, never a default. A default would widen or
 * narrow what a policy says.
 */
final class StrictFields {
  private final JsonNode object;
  private final String path;

  private StrictFields(JsonNode object, String path) {
    this.object = object;
    this.path = path;
  }

  /** An object that is missing has no fields. */
  static StrictFields of(JsonNode node, String path) {
    if (!node.isObject() && !node.isMissingNode() && !node.isNull()) {
      throw new IllegalArgumentException(path + " must be an object");
    }
    return new StrictFields(node, path);
  }

  String path(String field) {
    return path.isEmpty() ? field : path + "." + field;
  }

  boolean has(String field) {
    JsonNode value = object.path(field);
    return !value.isMissingNode() && !value.isNull();
  }

  JsonNode value(String field) {
    return object.path(field);
  }

  /** A criterion that is not known cannot be enforced. */
  void rejectOthers(Set<String> known) {
    for (String field : object.propertyNames()) {
      if (!known.contains(field) && has(field)) {
        throw new IllegalArgumentException(
            "%s is not a field that can be enforced: remove it".formatted(path(field)));
      }
    }
  }

  StrictFields child(String field) {
    return of(object.path(field), path(field));
  }

  /** Empty when it is not given. */
  String text(String field) {
    JsonNode value = object.path(field);
    if (!has(field)) {
      return "";
    }
    if (!value.isString()) {
      throw wrong(field, "a text", value);
    }
    return value.stringValue();
  }

  boolean flag(String field) {
    JsonNode value = object.path(field);
    if (has(field) && !value.isBoolean()) {
      throw wrong(field, "true or false", value);
    }
    return value.asBoolean(false);
  }

  OptionalDouble number(String field) {
    JsonNode value = object.path(field);
    if (!has(field)) {
      return OptionalDouble.empty();
    }
    if (!value.isNumber()) {
      throw wrong(field, "a number", value);
    }
    return OptionalDouble.of(value.doubleValue());
  }

  OptionalInt whole(String field, int min, int max) {
    JsonNode value = object.path(field);
    if (!has(field)) {
      return OptionalInt.empty();
    }
    if (!value.isIntegralNumber()
        || !value.canConvertToInt()
        || value.intValue() < min
        || value.intValue() > max) {
      throw wrong(field, "%d–%d".formatted(min, max), value);
    }
    return OptionalInt.of(value.intValue());
  }

  /** The items of a list; none when it is not given. */
  List<JsonNode> items(String field) {
    JsonNode value = object.path(field);
    if (has(field) && !value.isArray()) {
      throw wrong(field, "a list", value);
    }
    return List.copyOf(value.values());
  }

  List<String> texts(String field) {
    List<String> texts = new ArrayList<>();
    for (JsonNode item : items(field)) {
      if (!item.isString()) {
        throw wrong(field, "a list of texts", item);
      }
      texts.add(item.stringValue());
    }
    return texts;
  }

  Map<String, String> textMap(String field) {
    JsonNode map = child(field).object;
    Map<String, String> texts = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> entry : map.properties()) {
      if (!entry.getValue().isString()) {
        throw wrong(field + "." + entry.getKey(), "a text", entry.getValue());
      }
      texts.put(entry.getKey(), entry.getValue().stringValue());
    }
    return texts;
  }

  /** Empty when it is not given. */
  Optional<Selector> selector(String field) {
    String text = text(field);
    try {
      return text.isBlank() ? Optional.empty() : Optional.of(Selector.parse(text));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "%s %s %s".formatted(path(field), Quoted.brief(text), e.getMessage()), e);
    }
  }

  /** Networks without host bits; a bare address stands for itself. */
  List<IpPrefix> networks(String field) {
    List<IpPrefix> networks = new ArrayList<>();
    for (String text : texts(field)) {
      networks.add(
          network(text)
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "%s must contain networks, not %s"
                              .formatted(path(field), Quoted.brief(text)))));
    }
    return networks;
  }

  static Optional<IpPrefix> network(String text) {
    return text.indexOf('/') < 0
        ? IpAddress.tryParse(text).map(IpPrefix::host)
        : IpPrefix.tryParse(text).map(IpPrefix::network);
  }

  /** The number of a protocol, given by name or number. */
  OptionalInt protocol(String field) {
    JsonNode value = object.path(field);
    if (!has(field)) {
      return OptionalInt.empty();
    }
    if (value.isIntegralNumber() && value.canConvertToInt()) {
      return OptionalInt.of(checked(field, value, value.intValue()));
    }
    String text = value.isString() ? value.stringValue() : "";
    return OptionalInt.of(
        checked(
            field,
            value,
            switch (text.toLowerCase(Locale.ROOT)) {
              case "icmp" -> Protocols.ICMP;
              case "tcp" -> Protocols.TCP;
              case "udp" -> Protocols.UDP;
              case "icmpv6" -> Protocols.ICMPV6;
              case "sctp" -> Protocols.SCTP;
              case "udplite" -> Protocols.UDP_LITE;
              default -> text.matches("\\d{1,3}") ? Integer.parseInt(text) : 0;
            }));
  }

  private int checked(String field, JsonNode value, int number) {
    if (number < 1 || number > 255) {
      throw wrong(field, "TCP, UDP, ICMP, ICMPv6, SCTP, UDPLite or 1–255", value);
    }
    return number;
  }

  private IllegalArgumentException wrong(String field, String wanted, JsonNode value) {
    return new IllegalArgumentException(
        "%s must be %s, not %s"
            .formatted(path(field), wanted, Quoted.brief(value.asString(value.toString()))));
  }
}

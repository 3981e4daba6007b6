package io.ocicat.agent.matrix;

import io.ocicat.base.yaml.YamlReader;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/** Reads the values that several kinds of documents have. */
final class Texts {
  private Texts() {}

  static JsonNode yaml(String text) {
    return YamlReader.readAll(text).getFirst().value();
  }

  static List<String> list(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.values().forEach(item -> texts.add(item.asString("")));
    return texts;
  }

  /** An address counts as its own prefix. */
  static IpPrefix prefix(String text) {
    return text.contains("/")
        ? IpPrefix.parse(text).network()
        : IpPrefix.host(IpAddress.parse(text));
  }

  /** The number in the IP header, of a name or number. */
  static int protocol(String text) {
    return switch (text.toUpperCase(Locale.ROOT)) {
      case "ICMP" -> 1;
      case "TCP" -> 6;
      case "UDP" -> 17;
      case "ICMPV6" -> 58;
      case "SCTP" -> 132;
      case "UDPLITE" -> 136;
      default -> Integer.parseInt(text);
    };
  }
}

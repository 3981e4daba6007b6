package io.ocicat.agent.view;

import io.ocicat.base.Quoted;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A rule of a BGPFilter: an action, for routes that meet every condition.
 *
 * @param cidr compared with the route's prefix by the operator; null for any route
 * @param minLength the shortest prefix; -1 when it is not given
 * @param maxLength the longest prefix; -1 when it is not given
 * @param learned only routes that were learned from BGP peers
 * @param interfacePattern the interface the route leads through; empty for any
 * @param asPathPrefix what the AS path begins with
 * @param priority the priority the route must have; 0 for any
 * @param operations what is done to the route before it is accepted
 */
public record BgpFilterRule(
    @Nullable IpPrefix cidr,
    Operator operator,
    int minLength,
    int maxLength,
    boolean learned,
    String interfacePattern,
    @Nullable BgpCommunity community,
    List<Long> asPathPrefix,
    int priority,
    PeerType peerType,
    boolean accept,
    List<Operation> operations) {
  private static final int MAX_PRIORITY = 2147483646;
  private static final Pattern INTERFACE = Pattern.compile("[a-zA-Z0-9_.*-]{1,15}");

  /** How the route's prefix is compared with a network. */
  public enum Operator {
    EQUAL,
    NOT_EQUAL,
    IN,
    NOT_IN
  }

  /** For which sessions the rule is. */
  public enum PeerType {
    ANY,
    INTERNAL,
    EXTERNAL
  }

  /** A change of an accepted route. */
  public sealed interface Operation {
    record AddCommunity(BgpCommunity community) implements Operation {}

    record PrependPath(List<Long> asNumbers) implements Operation {
      public PrependPath {
        asNumbers = List.copyOf(asNumbers);
      }
    }

    record SetPriority(int priority) implements Operation {}
  }

  public BgpFilterRule {
    asPathPrefix = List.copyOf(asPathPrefix);
    operations = List.copyOf(operations);
  }

  /** Whether the prefix lengths matter. */
  public boolean hasLengths() {
    return minLength >= 0 || maxLength >= 0;
  }

  static BgpFilterRule read(JsonNode rule, boolean v4) {
    int bits = v4 ? 32 : 128;
    String cidrText = BgpValues.text(rule, "cidr");
    IpPrefix cidr = cidrText.isEmpty() ? null : BgpValues.network("cidr", cidrText);
    if (cidr != null && cidr.isV4() != v4) {
      throw new IllegalArgumentException(
          "cidr must be of %s, not %s".formatted(v4 ? "IPv4" : "IPv6", cidr));
    }
    JsonNode lengths = rule.path("prefixLength");
    int min = orElse(BgpValues.whole(lengths, "min", 0, bits), -1);
    int max = orElse(BgpValues.whole(lengths, "max", 0, bits), -1);
    if (cidr == null && (min >= 0 || max >= 0)) {
      throw new IllegalArgumentException("prefixLength needs cidr");
    }
    if (cidr != null && max >= 0 && max < Math.max(min, cidr.length())) {
      throw new IllegalArgumentException(
          "prefixLength.max must be at least %d, not %d"
              .formatted(Math.max(min, cidr.length()), max));
    }
    String pattern = BgpValues.text(rule, "interface");
    if (!pattern.isEmpty() && !INTERFACE.matcher(pattern).matches()) {
      throw new IllegalArgumentException(
          "interface must be 1–15 letters, digits, _, ., - or *, not " + Quoted.brief(pattern));
    }
    List<String> communities = BgpValues.texts(rule.path("communities"), "values");
    return new BgpFilterRule(
        cidr,
        cidr == null ? Operator.IN : operator(BgpValues.text(rule, "matchOperator")),
        min,
        max,
        isSource(BgpValues.text(rule, "source")),
        pattern,
        communities.isEmpty() ? null : BgpCommunity.parse(communities.getFirst()),
        asNumbers(rule, "asPathPrefix"),
        orElse(BgpValues.whole(rule, "priority", 1, MAX_PRIORITY), 0),
        peerType(BgpValues.text(rule, "peerType")),
        isAccept(BgpValues.text(rule, "action")),
        operations(rule));
  }

  private static int orElse(@Nullable Integer value, int otherwise) {
    return value == null ? otherwise : value;
  }

  private static Operator operator(String text) {
    return switch (text) {
      case "Equal" -> Operator.EQUAL;
      case "NotEqual" -> Operator.NOT_EQUAL;
      case "In" -> Operator.IN;
      case "NotIn" -> Operator.NOT_IN;
      default -> throw unknown("matchOperator", "Equal, NotEqual, In or NotIn", text);
    };
  }

  private static boolean isSource(String text) {
    return switch (text) {
      case "" -> false;
      case "RemotePeers" -> true;
      default -> throw unknown("source", "RemotePeers", text);
    };
  }

  private static PeerType peerType(String text) {
    return switch (text) {
      case "" -> PeerType.ANY;
      case "iBGP" -> PeerType.INTERNAL;
      case "eBGP" -> PeerType.EXTERNAL;
      default -> throw unknown("peerType", "eBGP or iBGP", text);
    };
  }

  private static boolean isAccept(String text) {
    return switch (text) {
      case "Accept" -> true;
      case "Reject" -> false;
      default -> throw unknown("action", "Accept or Reject", text);
    };
  }

  private static IllegalArgumentException unknown(String field, String valid, String text) {
    return new IllegalArgumentException(
        "%s must be %s, not %s".formatted(field, valid, Quoted.brief(text)));
  }

  private static List<Long> asNumbers(JsonNode object, String field) {
    List<Long> numbers = new ArrayList<>();
    object.path(field).values().forEach(number -> numbers.add(BgpValues.asNumber(field, number)));
    return numbers;
  }

  private static List<Operation> operations(JsonNode rule) {
    List<Operation> operations = new ArrayList<>();
    for (JsonNode item : rule.path("operations").values()) {
      if (item.has("addCommunity")) {
        operations.add(
            new Operation.AddCommunity(
                BgpCommunity.parse(BgpValues.text(item.path("addCommunity"), "value"))));
      } else if (item.has("prependASPath")) {
        operations.add(new Operation.PrependPath(asNumbers(item.path("prependASPath"), "prefix")));
      } else if (item.has("setPriority")) {
        Integer value = BgpValues.whole(item.path("setPriority"), "value", 1, MAX_PRIORITY);
        if (value != null) {
          operations.add(new Operation.SetPriority(value));
        }
      } else {
        throw new IllegalArgumentException(
            "operations must be addCommunity, prependASPath or setPriority, not "
                + Quoted.brief(item.toString()));
      }
    }
    return operations;
  }
}

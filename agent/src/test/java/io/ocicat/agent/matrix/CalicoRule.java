package io.ocicat.agent.matrix;

import io.ocicat.datastore.selector.Selector;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/**
 * A rule of a Calico policy or profile, evaluated as it is written.
 *
 * @param namespace of the policy; empty for a global policy and a profile
 */
record CalicoRule(JsonNode rule, String namespace, List<KnownEndpoint> known) {

  /** Evaluates the rules of a list in their order. */
  static Verdict decide(
      JsonNode rules, String namespace, List<KnownEndpoint> known, Packet packet) {
    for (JsonNode rule : rules.values()) {
      String action = rule.path("action").asString("").toLowerCase(Locale.ROOT);
      if (!action.equals("log") && new CalicoRule(rule, namespace, known).matches(packet)) {
        return switch (action) {
          case "allow" -> Verdict.ALLOW;
          case "deny" -> Verdict.DENY;
          case "pass" -> Verdict.PASS;
          default -> throw new IllegalArgumentException("action " + action);
        };
      }
    }
    return Verdict.NONE;
  }

  private boolean matches(Packet packet) {
    return matchesHeader(packet)
        && matchesIcmp(packet)
        && matchesSide(rule.path("source"), packet.source(), packet.protocol(), packet.sourcePort())
        && matchesSide(
            rule.path("destination"),
            packet.destination(),
            packet.protocol(),
            packet.destinationPort());
  }

  private boolean matchesHeader(Packet packet) {
    JsonNode version = rule.path("ipVersion");
    JsonNode protocol = rule.path("protocol");
    JsonNode notProtocol = rule.path("notProtocol");
    return (version.isMissingNode() || version.asInt(0) == (packet.isV4() ? 4 : 6))
        && (protocol.isMissingNode() || Texts.protocol(protocol.asString("")) == packet.protocol())
        && (notProtocol.isMissingNode()
            || Texts.protocol(notProtocol.asString("")) != packet.protocol());
  }

  private boolean matchesIcmp(Packet packet) {
    JsonNode icmp = rule.path("icmp");
    JsonNode notIcmp = rule.path("notICMP");
    return (icmp.isMissingNode() || isMessage(icmp, packet))
        && (notIcmp.isMissingNode() || !isMessage(notIcmp, packet));
  }

  private static boolean isMessage(JsonNode icmp, Packet packet) {
    return (!icmp.has("type") || icmp.path("type").asInt(0) == packet.icmpType())
        && (!icmp.has("code") || icmp.path("code").asInt(0) == packet.icmpCode());
  }

  private boolean matchesSide(JsonNode side, IpAddress address, int protocol, int port) {
    boolean v4 = address.isV4();
    Predicate<IpPrefix> contains = net -> net.contains(address);
    Predicate<KnownEndpoint> isPeer = endpoint -> endpoint.has(address);
    List<String> nets = Texts.list(side.path("nets"));
    List<String> notNets = Texts.list(side.path("notNets"));
    if (!nets.isEmpty() && nets.stream().map(Texts::prefix).noneMatch(contains)) {
      return false;
    }
    if (isOfOtherFamily(notNets, v4) || notNets.stream().map(Texts::prefix).anyMatch(contains)) {
      return false;
    }
    boolean positive = hasPositiveSelector(side);
    boolean negative = !side.path("notSelector").asString("").isEmpty();
    if (positive
        && known.stream()
            .filter(isPeer)
            .noneMatch(peer -> isSelected(side, peer) && !(negative && isExcluded(side, peer)))) {
      return false;
    }
    if (!positive
        && negative
        && known.stream().filter(isPeer).anyMatch(peer -> isExcluded(side, peer))) {
      return false;
    }
    Predicate<JsonNode> listed = item -> isPort(item, side, positive, isPeer, protocol, port);
    JsonNode ports = side.path("ports");
    return (ports.isEmpty() || ports.values().stream().anyMatch(listed))
        && side.path("notPorts").values().stream().noneMatch(listed);
  }

  /** A rule with networks of one family only is a rule of that family. */
  private static boolean isOfOtherFamily(List<String> nets, boolean v4) {
    return !nets.isEmpty() && nets.stream().map(Texts::prefix).noneMatch(net -> net.isV4() == v4);
  }

  private boolean hasPositiveSelector(JsonNode side) {
    return !side.path("selector").asString("").isEmpty()
        || !side.path("namespaceSelector").asString("").isEmpty()
        || !side.path("serviceAccounts").isEmpty()
        || (!namespace.isEmpty() && !side.path("notSelector").asString("").isEmpty());
  }

  private boolean isSelected(JsonNode side, KnownEndpoint peer) {
    String namespaces = side.path("namespaceSelector").asString("");
    boolean inNamespace =
        namespaces.isEmpty()
            ? namespace.isEmpty() || peer.namespace().equals(namespace)
            : selectsNamespace(namespaces, peer);
    return inNamespace
        && Selector.parse(side.path("selector").asString("")).matches(peer.labels())
        && isAccount(side.path("serviceAccounts"), peer);
  }

  private static boolean isExcluded(JsonNode side, KnownEndpoint peer) {
    return Selector.parse(side.path("notSelector").asString("")).matches(peer.labels());
  }

  private static boolean isAccount(JsonNode accounts, KnownEndpoint peer) {
    List<String> names = Texts.list(accounts.path("names"));
    String selector = accounts.path("selector").asString("");
    return (names.isEmpty()
            || names.contains(peer.labels().getOrDefault(KnownEndpoint.ACCOUNT_LABEL, "")))
        && (selector.isEmpty() || Selector.parse(selector).matches(peer.accountLabels()));
  }

  /** All namespaces are those of whatever has one; {@code global()} is what has none. */
  static boolean selectsNamespace(String selector, KnownEndpoint peer) {
    if (selector.strip().equals("global()")) {
      return peer.namespace().isEmpty();
    }
    Map<String, String> labels = new TreeMap<>(peer.namespaceLabels());
    String hasOne = "has(" + KnownEndpoint.NAMESPACE_LABEL + ")";
    if (!peer.namespace().isEmpty()) {
      labels.put(KnownEndpoint.NAMESPACE_LABEL, peer.namespace());
    }
    return Selector.parse(selector.replace("all()", hasOne)).matches(labels);
  }

  private boolean isPort(
      JsonNode item,
      JsonNode side,
      boolean selected,
      Predicate<KnownEndpoint> isPeer,
      int protocol,
      int port) {
    String text = item.asString("");
    if (text.matches("[0-9]+")) {
      return Integer.parseInt(text) == port;
    }
    if (text.matches("[0-9]+:[0-9]+")) {
      String[] ends = text.split(":", -1);
      return Integer.parseInt(ends[0]) <= port && port <= Integer.parseInt(ends[1]);
    }
    return known.stream()
        .filter(isPeer)
        .filter(peer -> !selected || isSelected(side, peer))
        .anyMatch(peer -> peer.declares(text, protocol, port));
  }
}

package io.ocicat.agent.policy.model;

import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.agent.filter.PortRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedMap;
import tools.jackson.databind.JsonNode;

/** The ports of one protocol that a rule of Kubernetes names: all of them, or some. */
final class PortChoice {
  private boolean all;
  private final List<PortRange> numbers = new ArrayList<>();
  private final List<String> names = new ArrayList<>();

  void addAll() {
    all = true;
  }

  void add(PortRange range) {
    numbers.add(range);
  }

  void add(String name) {
    names.add(name);
  }

  /** Reads a port of a NetworkPolicy. */
  static void read(StrictFields port, SortedMap<Integer, PortChoice> protocols) {
    int protocol = port.protocol("protocol").orElse(Protocols.TCP);
    if (!Protocols.hasPorts(protocol)) {
      throw new IllegalArgumentException(port.path("protocol") + " must be TCP, UDP or SCTP");
    }
    PortChoice choice = protocols.computeIfAbsent(protocol, _ -> new PortChoice());
    if (!port.has("port")) {
      if (port.has("endPort")) {
        throw new IllegalArgumentException(port.path("endPort") + " needs a port");
      }
      choice.addAll();
      return;
    }
    JsonNode value = port.value("port");
    if (value.isString() && !value.stringValue().matches("\\d+")) {
      if (value.stringValue().isEmpty() || port.has("endPort")) {
        throw new IllegalArgumentException(
            port.path("port") + " must be a number where endPort is given, and never empty");
      }
      choice.add(value.stringValue());
      return;
    }
    int first = number(port, value);
    int last = port.whole("endPort", 1, 65535).orElse(first);
    if (last < first) {
      throw new IllegalArgumentException(port.path("endPort") + " must not be less than port");
    }
    choice.add(new PortRange(first, last));
  }

  private static int number(StrictFields port, JsonNode value) {
    if (value.isString() && value.stringValue().length() <= 5) {
      return Integer.parseInt(value.stringValue());
    }
    return port.whole("port", 0, 65535).orElseThrow();
  }

  /** The product of peers and protocols; without protocols, the peers. */
  static List<PolicyRule> rules(
      int number,
      PolicyAction action,
      List<RulePeer> peers,
      SortedMap<Integer, PortChoice> protocols,
      boolean ingress) {
    List<PolicyRule> rules = new ArrayList<>();
    for (RulePeer peer : peers) {
      if (protocols.isEmpty()) {
        rules.add(rule(number, action, OptionalInt.empty(), peer, new PortChoice(), ingress));
      }
      for (Map.Entry<Integer, PortChoice> entry : protocols.entrySet()) {
        rules.add(
            rule(number, action, OptionalInt.of(entry.getKey()), peer, entry.getValue(), ingress));
      }
    }
    return rules;
  }

  /** A rule with ports of the destination, which in egress is the peer. */
  static PolicyRule rule(
      int number,
      PolicyAction action,
      OptionalInt protocol,
      RulePeer peer,
      PortChoice choice,
      boolean ingress) {
    List<PortRange> ranges = choice.all ? List.of() : choice.merged();
    List<String> portNames =
        choice.all ? List.of() : choice.names.stream().distinct().sorted().toList();
    return ingress
        ? PolicyRule.of(number, action, protocol, peer, RulePeer.ANY.withPorts(ranges, portNames))
        : PolicyRule.of(number, action, protocol, RulePeer.ANY, peer.withPorts(ranges, portNames));
  }

  private List<PortRange> merged() {
    List<PortRange> merged = new ArrayList<>();
    for (PortRange range :
        numbers.stream().sorted(Comparator.comparingInt(PortRange::first)).toList()) {
      PortRange before = merged.isEmpty() ? null : merged.getLast();
      if (before != null && range.first() <= before.last() + 1) {
        merged.set(
            merged.size() - 1,
            new PortRange(before.first(), Math.max(before.last(), range.last())));
      } else {
        merged.add(range);
      }
    }
    return merged;
  }
}

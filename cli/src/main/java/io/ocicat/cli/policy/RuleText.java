package io.ocicat.cli.policy;

import io.ocicat.agent.filter.IcmpMatch;
import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.agent.filter.PortRange;
import io.ocicat.agent.policy.explain.ProtocolNames;
import io.ocicat.agent.policy.model.PolicyRule;
import io.ocicat.agent.policy.model.RulePeer;
import io.ocicat.netlink.IpFamily;
import java.util.ArrayList;
import java.util.List;

/** A rule in one line. */
final class RuleText {
  private RuleText() {}

  static String action(PolicyAction action) {
    return switch (action) {
      case ALLOW -> "Allow";
      case DENY -> "Deny";
      case PASS -> "Pass";
      case LOG -> "Log";
    };
  }

  static String of(PolicyRule rule) {
    StringBuilder text = new StringBuilder(action(rule.action()));
    rule.family().ifPresent(f -> text.append(f == IpFamily.V4 ? " IPv4" : " IPv6"));
    rule.protocol().ifPresent(protocol -> text.append(' ').append(ProtocolNames.of(protocol)));
    rule.notProtocol()
        .ifPresent(protocol -> text.append(" not ").append(ProtocolNames.of(protocol)));
    rule.icmp().ifPresent(icmp -> text.append(' ').append(icmp(icmp)));
    rule.notIcmp().ifPresent(icmp -> text.append(" not ").append(icmp(icmp)));
    String from = peer(rule.source());
    String to = peer(rule.destination());
    if (!from.isEmpty()) {
      text.append(" from ").append(from);
    }
    if (!to.isEmpty()) {
      text.append(" to ").append(to);
    }
    return text.toString();
  }

  private static String icmp(IcmpMatch icmp) {
    return "type "
        + icmp.type()
        + (icmp.code().isPresent() ? " code " + icmp.code().getAsInt() : "");
  }

  private static String peer(RulePeer peer) {
    List<String> parts = new ArrayList<>();
    if (!peer.nets().isEmpty()) {
      parts.add(list(peer.nets()));
    }
    if (!peer.notNets().isEmpty()) {
      parts.add("not " + list(peer.notNets()));
    }
    peer.selector().ifPresent(selector -> parts.add(selector.toString()));
    peer.notSelector().ifPresent(selector -> parts.add("not " + selector));
    peer.service().ifPresent(service -> parts.add("service " + service));
    ports("port ", peer.ports(), peer.portNames(), parts);
    ports("not port ", peer.notPorts(), peer.notPortNames(), parts);
    return String.join(", ", parts);
  }

  private static void ports(
      String word, List<PortRange> ranges, List<String> names, List<String> parts) {
    List<String> ports = new ArrayList<>();
    ranges.forEach(range -> ports.add(range.toString()));
    ports.addAll(names);
    if (!ports.isEmpty()) {
      parts.add(word + list(ports));
    }
  }

  private static String list(List<?> items) {
    return String.join(",", items.stream().map(String::valueOf).toList());
  }
}

package io.ocicat.agent.policy.model;

import io.ocicat.agent.filter.IcmpMatch;
import io.ocicat.agent.filter.PolicyAction;
import io.ocicat.base.Quoted;
import io.ocicat.base.json.Problems;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * Reads Calico's rules. One that cannot be enforced as it is written must not let anything through:
 * an Allow matches nothing, a Log is left out, and anything else denies everything.
 */
final class RuleReader {
  private static final Set<String> FIELDS =
      Set.of(
          "action",
          "ipVersion",
          "protocol",
          "notProtocol",
          "icmp",
          "notICMP",
          "source",
          "destination",
          "http",
          "metadata");

  private final String namespace;
  private final Problems problems;

  /**
   * @param namespace of the policy; empty for a policy of all namespaces and for a profile
   */
  RuleReader(String namespace, Problems problems) {
    this.namespace = namespace;
    this.problems = problems;
  }

  /** Reads a list of rules; one that cannot be read as a list is an exception. */
  List<PolicyRule> read(StrictFields spec, String field) {
    List<JsonNode> items = spec.items(field);
    List<PolicyRule> rules = new ArrayList<>();
    for (int number = 0; number < items.size(); number++) {
      String path = "%s[%d]".formatted(spec.path(field), number);
      readOrClose(items.get(number), path, number).ifPresent(rules::add);
    }
    return rules;
  }

  private Optional<PolicyRule> readOrClose(JsonNode item, String path, int number) {
    Optional<PolicyAction> action = action(item);
    try {
      StrictFields rule = StrictFields.of(item, path);
      rule.rejectOthers(FIELDS);
      return Optional.of(
          rule(
              rule,
              number,
              action.orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "%s must be Allow, Deny, Pass or Log, not %s"
                              .formatted(
                                  rule.path("action"),
                                  Quoted.brief(item.path("action").asString("")))))));
    } catch (IllegalArgumentException e) {
      return closed(action, number, String.valueOf(e.getMessage()), problems);
    }
  }

  /** What is enforced instead of a rule that cannot be. */
  static Optional<PolicyRule> closed(
      Optional<PolicyAction> action, int number, String why, Problems problems) {
    boolean omit = action.filter(a -> a == PolicyAction.ALLOW || a == PolicyAction.LOG).isPresent();
    problems.add(why, omit ? "(the rule matches nothing)" : "(the rule denies everything)");
    return omit ? Optional.empty() : Optional.of(PolicyRule.all(number, PolicyAction.DENY));
  }

  private static Optional<PolicyAction> action(JsonNode rule) {
    return switch (rule.path("action").asString("")) {
      case "Allow" -> Optional.of(PolicyAction.ALLOW);
      case "Deny" -> Optional.of(PolicyAction.DENY);
      case "Pass" -> Optional.of(PolicyAction.PASS);
      case "Log" -> Optional.of(PolicyAction.LOG);
      default -> Optional.empty();
    };
  }

  private PolicyRule rule(StrictFields rule, int number, PolicyAction action) {
    OptionalInt protocol = rule.protocol("protocol");
    OptionalInt notProtocol = rule.protocol("notProtocol");
    rejectHttp(rule);
    RulePeer source =
        new PeerReader(rule.child("source"), namespace).read(protocol, /* destination= */ false);
    RulePeer destination =
        new PeerReader(rule.child("destination"), namespace)
            .read(protocol, /* destination= */ true);
    return new PolicyRule(
        number,
        action,
        family(rule, protocol, notProtocol, source, destination),
        protocol,
        notProtocol,
        icmp(rule, "icmp", protocol),
        icmp(rule, "notICMP", protocol),
        source,
        destination);
  }

  /** The kernel cannot look into requests, and the rule without them would allow more. */
  private static void rejectHttp(StrictFields rule) {
    StrictFields http = rule.child("http");
    if (!http.items("methods").isEmpty() || !http.items("paths").isEmpty()) {
      throw new IllegalArgumentException(
          rule.path("http") + " cannot be enforced: packets are filtered, not requests");
    }
  }

  private static Optional<IcmpMatch> icmp(StrictFields rule, String field, OptionalInt protocol) {
    StrictFields icmp = rule.child(field);
    OptionalInt type = icmp.whole("type", 0, 254);
    OptionalInt code = icmp.whole("code", 0, 255);
    if (type.isEmpty() && code.isEmpty()) {
      return Optional.empty();
    }
    if (type.isEmpty()) {
      throw new IllegalArgumentException(icmp.path("code") + " needs a type");
    }
    int number = protocol.orElse(0);
    if (number != Protocols.ICMP && number != Protocols.ICMPV6) {
      throw new IllegalArgumentException(rule.path(field) + " needs protocol ICMP or ICMPv6");
    }
    return Optional.of(new IcmpMatch(type.getAsInt(), code));
  }

  /** As upstream, excluding networks of one family restricts the rule to that family. */
  private static Optional<IpFamily> family(
      StrictFields rule,
      OptionalInt protocol,
      OptionalInt notProtocol,
      RulePeer source,
      RulePeer destination) {
    OptionalInt version = rule.whole("ipVersion", 4, 6);
    if (version.orElse(4) == 5) {
      throw new IllegalArgumentException(rule.path("ipVersion") + " must be 4 or 6, not 5");
    }
    if (version.isPresent()) {
      IpFamily family = version.getAsInt() == 4 ? IpFamily.V4 : IpFamily.V6;
      int other = family == IpFamily.V4 ? Protocols.ICMPV6 : Protocols.ICMP;
      boolean contradicts =
          protocol.orElse(0) == other
              || notProtocol.orElse(0) == other
              || Stream.of(
                      source.nets(), source.notNets(), destination.nets(), destination.notNets())
                  .flatMap(List::stream)
                  .anyMatch(net -> IpFamily.of(net.address()) != family);
      if (contradicts) {
        throw new IllegalArgumentException(
            rule.path("ipVersion") + " contradicts the rule's networks or protocol");
      }
      return Optional.of(family);
    }
    return onlyFamily(source.notNets()).or(() -> onlyFamily(destination.notNets()));
  }

  private static Optional<IpFamily> onlyFamily(List<IpPrefix> nets) {
    List<IpFamily> families =
        nets.stream().map(net -> IpFamily.of(net.address())).distinct().toList();
    return families.size() == 1 ? Optional.of(families.getFirst()) : Optional.empty();
  }
}

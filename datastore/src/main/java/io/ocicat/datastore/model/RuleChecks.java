package io.ocicat.datastore.model;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Problems;
import io.ocicat.datastore.selector.Selector;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Checks the constraints between the fields of a rule. */
final class RuleChecks {
  private static final List<String> SIDES = List.of("source", "destination");

  private RuleChecks() {}

  static void globalAlone(ObjectNode entity, String path, Problems problems) {
    String namespaces = entity.path("namespaceSelector").asString("");
    if (namespaces.contains("global(")
        && !(Selector.parse(namespaces) instanceof Selector.Global)) {
      problems.add(path + ".namespaceSelector", "must not combine global() with anything else");
    }
  }

  static void servicesAlone(ObjectNode entity, String path, Problems problems) {
    if (!entity.path("services").isObject()) {
      return;
    }
    if (!FieldRule.isSet(entity.path("services"), "name")) {
      problems.add(path + ".services.name", "is missing");
    }
    for (String other :
        List.of("selector", "notSelector", "namespaceSelector", "nets", "notNets")) {
      if (FieldRule.isSet(entity, other)) {
        problems.add(path + "." + other, "cannot be combined with services");
      }
    }
    if (entity.path("serviceAccounts").isObject()) {
      problems.add(path + ".serviceAccounts", "cannot be combined with services");
    }
  }

  static void path(ObjectNode match, String at, Problems problems) {
    boolean exact = FieldRule.isSet(match, "exact");
    boolean prefix = FieldRule.isSet(match, "prefix");
    if (exact == prefix) {
      problems.add(at, exact ? "has both exact and prefix: keep one" : "needs exact or prefix");
      return;
    }
    String field = exact ? "exact" : "prefix";
    String path = match.path(field).stringValue();
    if (!path.startsWith("/") || path.chars().anyMatch(c -> c == '?' || c == ' ' || c == '#')) {
      problems.add(
          at + "." + field,
          "must begin with / and have no ?, # or space, not " + Quoted.brief(path));
    }
  }

  /** 4 for ICMP, 6 for ICMPv6, 0 for everything else. */
  private static int icmp(JsonNode protocol) {
    return switch (ValueForm.PROTOCOL.normalOrSame(protocol).asString("")) {
      case "ICMP", "1" -> 4;
      case "ICMPv6", "58" -> 6;
      default -> 0;
    };
  }

  static void icmpProtocol(ObjectNode rule, String path, Problems problems) {
    if (rule.path("icmp").isObject() && icmp(rule.path("protocol")) == 0) {
      problems.add(path + ".icmp", "needs protocol ICMP or ICMPv6");
    }
  }

  static void icmpVersion(ObjectNode rule, String path, Problems problems) {
    int version = rule.path("ipVersion").asInt(0);
    for (String field : List.of("protocol", "notProtocol")) {
      int wanted = icmp(rule.path(field));
      if (wanted != 0 && version != 0 && version != wanted) {
        problems.add(
            path + ".ipVersion", "must be %d or left out with this %s".formatted(wanted, field));
      }
    }
  }

  static void portsOfProtocol(ObjectNode rule, String path, Problems problems) {
    JsonNode protocol = rule.path("protocol");
    boolean any = protocol.isMissingNode() || protocol.isNull();
    for (String side : SIDES) {
      for (String ports : List.of("ports", "notPorts")) {
        JsonNode given = rule.path(side).path(ports);
        boolean wrong =
            any
                ? given.valueStream().anyMatch(RuleChecks::isNumeric)
                : !given.isEmpty() && !EndpointFields.hasPorts(protocol);
        if (wrong) {
          problems.add(
              path + "." + side + "." + ports, "need a protocol that has ports: TCP, UDP or SCTP");
        }
      }
    }
  }

  /** A number as text is found here: checking every text is too expensive for an API server. */
  static String celPortsOfProtocol() {
    return SIDES.stream()
        .flatMap(side -> Stream.of(side + ".ports", side + ".notPorts"))
        .map(
            ports ->
                "(!{%1$s} || (has(self.protocol) ? %2$s : self.%1$s.all(port, type(port) == string)))"
                    .formatted(ports, CelRule.isProtocol("protocol", "TCP", "UDP", "SCTP")))
        .collect(Collectors.joining(" && "));
  }

  private static boolean isNumeric(JsonNode port) {
    JsonNode normal = ValueForm.PORT.normalOrSame(port);
    return normal.isIntegralNumber() || normal.asString("").indexOf(':') >= 0;
  }

  static void oneVersion(ObjectNode rule, String path, Problems problems) {
    Set<Boolean> versions = new HashSet<>();
    for (String side : SIDES) {
      for (String nets : List.of("nets", "notNets")) {
        for (JsonNode net : rule.path(side).path(nets).values()) {
          versions.add(ValueRules.cidr(net.stringValue()).isV4());
          if (nets.equals("notNets") && ValueRules.cidr(net.stringValue()).length() == 0) {
            problems.add(
                path + "." + side + ".notNets",
                "must not contain %s: the rule would match nothing".formatted(net.stringValue()));
          }
        }
      }
    }
    if (versions.size() == 2) {
      problems.add(path, "has both IPv4 and IPv6 nets: make it two rules");
    }
    int version = rule.path("ipVersion").asInt(0);
    if (version != 0 && versions.contains(version != 4)) {
      problems.add(path + ".ipVersion", "must be that of the nets, 4 or 6, not " + version);
    }
  }

  static void httpOfAllow(ObjectNode rule, String path, Problems problems) {
    if (!rule.path("http").isObject()) {
      return;
    }
    if (!rule.path("action").asString("").equals("Allow")) {
      problems.add(path + ".http", "can be set only with action Allow");
    }
    String protocol = ValueForm.PROTOCOL.normalOrSame(rule.path("protocol")).asString("");
    if (!protocol.isEmpty() && !protocol.equals("TCP") && !protocol.equals("6")) {
      problems.add(path + ".http", "needs protocol TCP or none");
    }
  }

  static void portsOfServices(ObjectNode rule, String path, Problems problems) {
    JsonNode destination = rule.path("destination");
    if (destination.path("services").isObject()) {
      for (String ports : List.of("ports", "notPorts")) {
        if (FieldRule.isSet(destination, ports)) {
          problems.add(path + ".destination." + ports, "cannot be combined with services");
        }
      }
    }
  }
}

package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.flag;
import static io.ocicat.datastore.model.Shape.struct;
import static io.ocicat.datastore.model.Shape.structs;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;
import static io.ocicat.datastore.model.Shape.whole;

import io.ocicat.datastore.json.Problems;
import io.ocicat.datastore.selector.Selector;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Rules, and what is made of them: policies and profiles. */
final class PolicyShapes {
  private static final Pattern PORT_RANGE = Pattern.compile("(\\d{1,5}):(\\d{1,5})");
  private static final Pattern NUMBER = Pattern.compile("\\d{1,5}");
  private static final Pattern PORT_NAME = Pattern.compile("[a-zA-Z0-9_.-]{1,128}");

  /** A number, a range as in 8080:8090, or the name of an endpoint's port. */
  private static final Shape.Leaf PORT =
      new Shape.Leaf(
          Shape.Type.WHOLE_OR_TEXT,
          value -> {
            if (value.isIntegralNumber()) {
              return Rules.between(1, 65535).problem(value);
            }
            String text = value.stringValue();
            Matcher range = PORT_RANGE.matcher(text);
            if (range.matches()) {
              int from = Integer.parseInt(range.group(1));
              int to = Integer.parseInt(range.group(2));
              return from >= 1 && from <= to && to <= 65535
                  ? null
                  : "must be a range within 1–65535 from low to high, not " + Problems.quote(text);
            }
            if (NUMBER.matcher(text).matches()) {
              int port = Integer.parseInt(text);
              return port >= 1 && port <= 65535 ? null : "must be 1–65535, not " + text;
            }
            return PORT_NAME.matcher(text).matches()
                ? null
                : "must be a port, a range as in 8080:8090 or a port's name, not "
                    + Problems.quote(text);
          });

  private static final Shape.Struct ICMP =
      new Shape.Struct(whole("type", 0, 254).ifPresent(), whole("code", 0, 255).ifPresent());

  private static final Shape.Struct ENTITY =
      new Shape.Struct(
              texts("nets", Rules.NETWORK),
              text("selector", Rules.SELECTOR),
              text("namespaceSelector", Rules.SELECTOR),
              struct(
                  "services",
                  new Shape.Struct(text("name", Rules.NAME), text("namespace", Rules.NAME))),
              field("ports", new Shape.ListOf(PORT)),
              texts("notNets", Rules.NETWORK),
              text("notSelector", Rules.SELECTOR),
              field("notPorts", new Shape.ListOf(PORT)),
              struct(
                  "serviceAccounts",
                  new Shape.Struct(texts("names"), text("selector", Rules.SELECTOR))))
          .where(PolicyShapes::checkEntity);

  private static final Shape.Struct RULE =
      new Shape.Struct(
              text("action", Rules.oneOf("Allow", "Deny", "Log", "Pass")).always().require(),
              whole("ipVersion", 4, 6).ifPresent(),
              field("protocol", EndpointShapes.PROTOCOL).ifPresent(),
              struct("icmp", ICMP),
              field("notProtocol", EndpointShapes.PROTOCOL).ifPresent(),
              struct("notICMP", ICMP),
              field("source", ENTITY).always(),
              field("destination", ENTITY).always(),
              struct(
                  "http",
                  new Shape.Struct(
                      texts("methods"),
                      structs("paths", new Shape.Struct(text("exact"), text("prefix"))))),
              struct("metadata", new Shape.Struct(field("annotations", Rules.ANNOTATIONS))))
          .where(PolicyShapes::checkRule);

  private static final Shape.Member TIER = text("tier", Rules.NAME);
  private static final Shape.Member ORDER =
      field("order", new Shape.Leaf(Shape.Type.NUMBER, Rules.ANY)).ifPresent();
  private static final Shape.Member INGRESS = structs("ingress", RULE);
  private static final Shape.Member EGRESS = structs("egress", RULE);
  private static final Shape.Member TYPES = texts("types", Rules.oneOf("Ingress", "Egress"));
  private static final Shape.Member SERVICE_ACCOUNTS =
      text("serviceAccountSelector", Rules.SELECTOR);
  private static final Shape.Member HINTS =
      texts("performanceHints", Rules.oneOf("AssumeNeededOnEveryNode"));

  static final Shape.Struct PROFILE =
      new Shape.Struct(INGRESS, EGRESS, field("labelsToApply", Rules.LABELS));

  static final Shape.Struct NETWORK_POLICY =
      new Shape.Struct(
              TIER,
              ORDER,
              INGRESS,
              EGRESS,
              text("selector", Rules.SELECTOR),
              TYPES,
              SERVICE_ACCOUNTS,
              HINTS)
          .where(PolicyShapes::checkPolicy);

  static final Shape.Struct GLOBAL_NETWORK_POLICY =
      new Shape.Struct(
              TIER,
              ORDER,
              INGRESS,
              EGRESS,
              text("selector", Rules.SELECTOR),
              TYPES,
              flag("doNotTrack"),
              flag("preDNAT"),
              flag("applyOnForward"),
              SERVICE_ACCOUNTS,
              text("namespaceSelector", Rules.SELECTOR),
              HINTS)
          .where(
              (spec, path, problems) -> {
                checkPolicy(spec, path, problems);
                checkHostPolicy(spec, path, problems);
              });

  static final Shape.Struct NETWORK_SET = new Shape.Struct(texts("nets", Rules.CIDR));

  static final Shape.Struct TIER_SPEC =
      new Shape.Struct(ORDER, text("defaultAction", Rules.oneOf("Deny", "Pass")).ifPresent());

  private PolicyShapes() {}

  private static void checkEntity(ObjectNode entity, String path, Problems problems) {
    checkNoGlobal(entity, "selector", path, problems);
    checkNoGlobal(entity, "notSelector", path, problems);
    String namespaces = entity.path("namespaceSelector").asString("");
    if (namespaces.contains("global(")
        && !(Selector.parse(namespaces) instanceof Selector.Global)) {
      problems.add(path + ".namespaceSelector", "must not combine global() with anything else");
    }
    if (entity.path("services").isObject()) {
      if (entity.at("/services/name").asString("").isEmpty()) {
        problems.add(path + ".services.name", "is missing");
      }
      for (String other : List.of("selector", "notSelector", "namespaceSelector")) {
        if (!entity.path(other).asString("").isEmpty()) {
          problems.add(path + "." + other, "cannot be combined with services");
        }
      }
      for (String other : List.of("nets", "notNets", "serviceAccounts", "ports", "notPorts")) {
        if (!entity.path(other).isEmpty()) {
          problems.add(path + "." + other, "cannot be combined with services");
        }
      }
    }
  }

  private static void checkRule(ObjectNode rule, String path, Problems problems) {
    JsonNode protocol = rule.path("protocol");
    boolean named = protocol.isMissingNode() || protocol.isNull();
    Set<Boolean> versions = new HashSet<>();
    for (String side : List.of("source", "destination")) {
      JsonNode entity = rule.path(side);
      for (String ports : List.of("ports", "notPorts")) {
        boolean wrong =
            named
                ? entity.path(ports).valueStream().anyMatch(PolicyShapes::isNumeric)
                : !entity.path(ports).isEmpty() && !EndpointShapes.hasPorts(protocol);
        if (wrong) {
          problems.add(
              path + "." + side + "." + ports, "need a protocol that has ports: TCP, UDP or SCTP");
        }
      }
      for (String nets : List.of("nets", "notNets")) {
        for (JsonNode net : entity.path(nets).values()) {
          versions.add(Rules.cidr(net.stringValue()).isV4());
          if (nets.equals("notNets") && Rules.cidr(net.stringValue()).length() == 0) {
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
    if (version == 5 || (version != 0 && versions.contains(version != 4))) {
      problems.add(path + ".ipVersion", "must be that of the nets, 4 or 6, not " + version);
    }
  }

  private static boolean isNumeric(JsonNode port) {
    return port.isIntegralNumber()
        || NUMBER.matcher(port.asString("")).matches()
        || PORT_RANGE.matcher(port.asString("")).matches();
  }

  private static void checkPolicy(ObjectNode spec, String path, Problems problems) {
    checkNoGlobal(spec, "selector", path, problems);
    checkNoGlobal(spec, "serviceAccountSelector", path, problems);
    checkNoGlobal(spec, "namespaceSelector", path, problems);
    Set<String> types = new HashSet<>();
    for (JsonNode type : spec.path("types").values()) {
      if (!types.add(type.stringValue())) {
        problems.add(path + ".types", "has " + type.stringValue() + " twice");
      }
    }
    int i = 0;
    for (JsonNode rule : spec.path("egress").values()) {
      String at = path + ".egress[" + i++ + "]";
      if (rule.at("/source/services").isObject()) {
        problems.add(at + ".source.services", "is not possible in an egress rule");
      }
      if (rule.path("http").isObject()) {
        problems.add(at + ".http", "is not possible in an egress rule");
      }
    }
    i = 0;
    for (JsonNode rule : spec.path("ingress").values()) {
      String at = path + ".ingress[" + i++ + "]";
      if (rule.at("/destination/services").isObject()) {
        problems.add(at + ".destination.services", "is not possible in an ingress rule");
      }
    }
  }

  /** What bypasses connection tracking or comes before it, on interfaces of hosts only. */
  private static void checkHostPolicy(ObjectNode spec, String path, Problems problems) {
    boolean untracked = spec.path("doNotTrack").asBoolean(false);
    boolean early = spec.path("preDNAT").asBoolean(false);
    boolean forwarded = spec.path("applyOnForward").asBoolean(false);
    if (untracked && early) {
      problems.add(path + ".preDNAT", "and doNotTrack cannot both be true");
    }
    if (early && !spec.path("egress").isEmpty()) {
      problems.add(path + ".egress", "must be empty when preDNAT is true");
    }
    if (early && spec.path("types").valueStream().anyMatch(t -> t.asString("").equals("Egress"))) {
      problems.add(path + ".types", "must not have Egress when preDNAT is true");
    }
    if ((untracked || early) && !forwarded) {
      problems.add(path + ".applyOnForward", "must be true when doNotTrack or preDNAT is");
    }
  }

  private static void checkNoGlobal(
      ObjectNode object, String name, String path, Problems problems) {
    if (object.path(name).asString("").contains("global(")) {
      problems.add(path + "." + name, "must not use global()");
    }
  }
}

package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.flag;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;

import io.ocicat.base.json.Problems;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The schemas of policies, namespaced and global, enforced and staged, and of profiles. */
final class PolicyFields {
  private static final int MAX_RULES = 1024;

  private static final Shape.Member TIER =
      text("tier", "The tier it is in.").is(ValueRules.NAME).initially("default");
  private static final Shape.Member ORDER =
      field(
              "order",
              "The order of the policy; lower ones come first.",
              new Shape.Leaf(Shape.Type.NUMBER))
          .ifPresent();
  private static final Shape.Member INGRESS =
      RuleFields.rules("ingress", "Rules for packets to the endpoints.").items(0, MAX_RULES);
  private static final Shape.Member EGRESS =
      RuleFields.rules("egress", "Rules for packets from the endpoints.").items(0, MAX_RULES);
  private static final Shape.Member SELECTOR =
      RuleFields.selector("selector", "The endpoints it applies to.");
  private static final Shape.Member TYPES =
      texts("types", "The directions it applies to.")
          .items(1, 2)
          .distinct()
          .in("Ingress", "Egress");
  private static final Shape.Member UNTRACKED =
      flag("doNotTrack", "Whether it applies before connections are tracked.");
  private static final Shape.Member PRE_DNAT =
      flag("preDNAT", "Whether it applies before destinations are translated.");
  private static final Shape.Member FORWARD =
      flag("applyOnForward", "Whether it applies to forwarded packets.");
  private static final Shape.Member SERVICE_ACCOUNTS =
      RuleFields.selector("serviceAccountSelector", "The service accounts it applies to.");
  private static final Shape.Member NAMESPACES =
      RuleFields.selector("namespaceSelector", "The namespaces it applies to.");
  private static final Shape.Member HINTS =
      texts("performanceHints", "Performance hints.").distinct().in("AssumeNeededOnEveryNode");
  static final Shape.Member STAGED_ACTION =
      text("stagedAction", "The staged action.")
          .in("Set", "Delete", "Learn", "Ignore")
          .initially("Set");

  static final Shape.Struct PROFILE =
      new Shape.Struct(
          INGRESS, EGRESS, field("labelsToApply", "Labels its endpoints get.", ValueRules.LABELS));

  static final Shape.Struct NETWORK_POLICY =
      common(TIER, ORDER, INGRESS, EGRESS, SELECTOR, TYPES, SERVICE_ACCOUNTS, HINTS);

  static final Shape.Struct GLOBAL_NETWORK_POLICY =
      global(
          TIER,
          ORDER,
          INGRESS,
          EGRESS,
          SELECTOR,
          TYPES,
          UNTRACKED,
          PRE_DNAT,
          FORWARD,
          SERVICE_ACCOUNTS,
          NAMESPACES,
          HINTS);

  static final Shape.Struct STAGED_NETWORK_POLICY = staged(NETWORK_POLICY);

  static final Shape.Struct STAGED_GLOBAL_NETWORK_POLICY = staged(GLOBAL_NETWORK_POLICY);

  private PolicyFields() {}

  private static Shape.Struct common(Shape.Member... members) {
    return new Shape.Struct(members)
        .where(FieldRule.noGlobal("selector"), FieldRule.noGlobal("serviceAccountSelector"))
        .where(
            "Services and HTTP are on their side.",
            """
            (!has(self.egress) || self.egress.all(rule, !has(rule.http) \
            && !(has(rule.source) && has(rule.source.services)))) \
            && (!has(self.ingress) || self.ingress.all(rule, \
            !(has(rule.destination) && has(rule.destination.services))))""",
            PolicyFields::sides);
  }

  private static Shape.Struct global(Shape.Member... members) {
    return common(members)
        .where(
            FieldRule.noGlobal("namespaceSelector"),
            FieldRule.notBoth("doNotTrack", "preDNAT"),
            FieldRule.needs("doNotTrack", "applyOnForward"),
            FieldRule.needs("preDNAT", "applyOnForward"),
            FieldRule.notBoth("preDNAT", "egress"))
        .where(
            "preDNAT is not for Egress.",
            "!({preDNAT} && {types} && 'Egress' in self.types)",
            PolicyFields::preDnatOfIngress)
        .where(
            "Services have a namespace.",
            celNamespaces("egress", "destination") + " && " + celNamespaces("ingress", "source"),
            PolicyFields::namespacesOfServices);
  }

  private static Shape.Struct staged(Shape.Struct policy) {
    List<Shape.Member> members = new ArrayList<>(policy.members());
    members.addFirst(STAGED_ACTION);
    return new Shape.Struct(members, policy.rules())
        .where(stagedDelete("Delete has nothing but a tier.", policy.members(), "tier"));
  }

  /** A policy whose deletion is tried says nothing else. */
  static FieldRule stagedDelete(String words, List<Shape.Member> members, String kept) {
    List<String> others =
        members.stream().map(Shape.Member::name).filter(name -> !name.equals(kept)).toList();
    return new FieldRule(
        words,
        others.stream()
            .map(name -> "{" + name + "}")
            .collect(
                Collectors.joining(
                    " || ", "!{stagedAction} || self.stagedAction != 'Delete' || !(", ")")),
        (spec, path, problems) -> {
          if (spec.path("stagedAction").asString("").equals("Delete")) {
            for (String other : others) {
              if (FieldRule.isSet(spec, other)) {
                problems.add(path + "." + other, "must be left out with stagedAction Delete");
              }
            }
          }
        });
  }

  /** A word that the language has for itself is written with lines around it. */
  private static String celNamespaces(String rules, String side) {
    return """
        (!has(self.%1$s) || self.%1$s.all(rule, !has(rule.%2$s) || !has(rule.%2$s.services) \
        || (has(rule.%2$s.services.__namespace__) && rule.%2$s.services.__namespace__ != '')))"""
        .formatted(rules, side);
  }

  private static void sides(ObjectNode spec, String path, Problems problems) {
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

  private static void preDnatOfIngress(ObjectNode spec, String path, Problems problems) {
    boolean egress =
        spec.path("types").valueStream().anyMatch(t -> t.asString("").equals("Egress"));
    if (spec.path("preDNAT").asBoolean(false) && egress) {
      problems.add(path + ".types", "must not have Egress when preDNAT is true");
    }
  }

  /** Only a namespaced policy may refer to a service by its name alone. */
  private static void namespacesOfServices(ObjectNode spec, String path, Problems problems) {
    for (String side : List.of("egress/destination", "ingress/source")) {
      String[] names = side.split("/", 2);
      int i = 0;
      for (JsonNode rule : spec.path(names[0]).values()) {
        JsonNode services = rule.path(names[1]).path("services");
        if (services.isObject() && !FieldRule.isSet(services, "namespace")) {
          problems.add(
              "%s.%s[%d].%s.services.namespace".formatted(path, names[0], i, names[1]),
              "is missing");
        }
        i++;
      }
    }
  }
}

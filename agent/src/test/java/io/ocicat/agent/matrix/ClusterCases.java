package io.ocicat.agent.matrix;

import static io.ocicat.agent.matrix.Stored.cluster;
import static io.ocicat.agent.matrix.Stored.kubernetes;

import io.ocicat.datastore.resource.Resource;
import java.util.ArrayList;
import java.util.List;

/** Cluster-wide policies of Kubernetes, as their conformance tests try them. */
public final class ClusterCases {
  private static final String X = "{namespaces: {matchLabels: {ns: x}}}";
  private static final String Y = "{namespaces: {matchLabels: {ns: 'y'}}}";
  private static final String Z = "{namespaces: {matchLabels: {ns: z}}}";
  private static final String XA =
      "{pods: {namespaceSelector: {matchLabels: {ns: x}}, podSelector: {matchLabels: {pod: a}}}}";

  private ClusterCases() {}

  public static List<PolicyCase> all() {
    List<PolicyCase> cases = new ArrayList<>();
    actions(cases);
    orders(cases);
    subjects(cases);
    tiers(cases);
    return cases;
  }

  private static Resource policy(
      String name, String tier, int priority, String subject, String direction, String rules) {
    return cluster(
        name,
        "{tier: %s, priority: %d, subject: %s, %s: [%s]}"
            .formatted(tier, priority, subject, direction, rules));
  }

  private static String rule(String action, String direction, String peer, String protocols) {
    return "{action: %s, %s: [%s]%s}"
        .formatted(
            action,
            direction.equals("ingress") ? "from" : "to",
            peer,
            protocols.isEmpty() ? "" : ", protocols: [" + protocols + "]");
  }

  private static PolicyCase of(String name, Resource... resources) {
    return PolicyCase.of("cluster " + name, resources);
  }

  /** Each action, direction and protocol, before a rule that denies the rest of that peer. */
  private static void actions(List<PolicyCase> cases) {
    for (String action : List.of("Accept", "Deny", "Pass")) {
      for (String direction : List.of("ingress", "egress")) {
        for (String protocol : List.of("tcp", "udp", "sctp")) {
          for (String port :
              List.of(
                  "",
                  "destinationPort: {number: 80}",
                  "destinationPort: {range: {start: 81, end: 90}}")) {
            String protocols = "{%s: {%s}}".formatted(protocol, port);
            String rules =
                rule(action, direction, Y, protocols) + ", " + rule("Deny", direction, Y, "");
            cases.add(
                of(
                    "%s %s %s %s".formatted(action, direction, protocol, port),
                    policy("p", "Admin", 10, X, direction, rules)));
          }
        }
        cases.add(
            of(
                "%s %s all protocols".formatted(action, direction),
                policy("p", "Admin", 10, X, direction, rule(action, direction, Y, "")),
                kubernetes("x", "deny", "{podSelector: {}, policyTypes: [Ingress, Egress]}")));
      }
    }
  }

  private static void orders(List<PolicyCase> cases) {
    cases.add(
        of(
            "first rule wins",
            policy(
                "p",
                "Admin",
                5,
                X,
                "ingress",
                rule("Accept", "ingress", Y, "{tcp: {destinationPort: {number: 80}}}")
                    + ", "
                    + rule("Deny", "ingress", Y, "")
                    + ", "
                    + rule("Accept", "ingress", Y, ""))));
    Resource deny = policy("b", "Admin", 20, X, "ingress", rule("Deny", "ingress", Y, ""));
    cases.add(
        of(
                "lower priority value first",
                deny,
                policy("c", "Admin", 10, X, "ingress", rule("Accept", "ingress", Y, "")))
            .thenUpdate(policy("b", "Admin", 5, X, "ingress", rule("Deny", "ingress", Y, ""))));
    cases.add(
        of(
            "several policies of one subject",
            policy("b", "Admin", 1, X, "ingress", rule("Deny", "ingress", Y, "{udp: {}}")),
            policy("c", "Admin", 2, X, "egress", rule("Deny", "egress", Z, "{tcp: {}}"))));
  }

  private static void subjects(List<PolicyCase> cases) {
    cases.add(
        of(
            "subject by pods",
            policy("p", "Admin", 5, XA, "ingress", rule("Deny", "ingress", Y, ""))));
    cases.add(
        of(
            "all namespaces",
            policy(
                "p", "Admin", 5, "{namespaces: {}}", "ingress", rule("Deny", "ingress", XA, ""))));
    cases.add(
        of(
            "peer by pods",
            policy("p", "Admin", 5, Y, "egress", rule("Deny", "egress", XA, "{tcp: {}}"))));
    cases.add(
        of(
            "egress networks",
            policy(
                "p",
                "Admin",
                5,
                X,
                "egress",
                rule("Accept", "egress", "{networks: [10.65.2.0/28, 'fd00:65::2:0/124']}", "")
                    + ", "
                    + rule(
                        "Deny", "egress", "{networks: [10.65.2.0/24, 'fd00:65::2:0/112']}", ""))));
    cases.add(
        of(
            "egress outside the cluster",
            policy(
                "p",
                "Admin",
                5,
                X,
                "egress",
                rule("Deny", "egress", "{networks: [192.168.7.100/32]}", ""))));
    cases.add(
        of(
            "named port",
            policy(
                "p",
                "Admin",
                5,
                X,
                "ingress",
                rule("Deny", "ingress", Y, "{destinationNamedPort: serve-80-tcp}"))));
    cases.add(
        of(
            "two peers",
            policy("p", "Admin", 5, X, "ingress", rule("Deny", "ingress", Y + ", " + XA, ""))));
  }

  private static void tiers(List<PolicyCase> cases) {
    Resource allowAll =
        kubernetes("x", "allow", "{podSelector: {}, policyTypes: [Ingress], ingress: [{}]}");
    Resource denyAll = kubernetes("x", "deny", "{podSelector: {}, policyTypes: [Ingress]}");
    cases.add(
        of(
            "Admin denies what a NetworkPolicy allows",
            allowAll,
            policy("p", "Admin", 5, X, "ingress", rule("Deny", "ingress", Y, ""))));
    cases.add(
        of(
            "Admin accepts what a NetworkPolicy denies",
            denyAll,
            policy("p", "Admin", 5, X, "ingress", rule("Accept", "ingress", Y, ""))));
    cases.add(
        of(
            "Admin passes to a NetworkPolicy",
            denyAll,
            policy(
                "p",
                "Admin",
                5,
                X,
                "ingress",
                rule("Pass", "ingress", Y, "")
                    + ", "
                    + rule("Accept", "ingress", "{namespaces: {}}", ""))));
    Resource baseline = policy("base", "Baseline", 5, X, "ingress", rule("Deny", "ingress", Y, ""));
    cases.add(
        of(
            "passed by Admin, decided by Baseline",
            policy("p", "Admin", 5, X, "ingress", rule("Pass", "ingress", Y, "")),
            baseline));
    cases.add(of("Baseline", baseline).thenDelete(baseline));
    cases.add(of("Baseline overridden by a NetworkPolicy", baseline, allowAll));
    cases.add(
        of(
            "Baseline by priority",
            baseline,
            policy(
                "first",
                "Baseline",
                1,
                X,
                "ingress",
                rule("Accept", "ingress", Y, "{udp: {destinationPort: {number: 81}}}"))));
    cases.add(
        of(
            "Baseline egress",
            policy("base", "Baseline", 5, X, "egress", rule("Deny", "egress", Z, ""))));
  }
}

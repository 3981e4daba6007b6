package io.ocicat.agent.matrix;

import static io.ocicat.agent.matrix.Stored.calico;
import static io.ocicat.agent.matrix.Stored.global;
import static io.ocicat.agent.matrix.Stored.kubernetes;
import static io.ocicat.agent.matrix.Stored.tier;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import java.util.ArrayList;
import java.util.List;

/** Calico's own policies: types, tiers and profiles. */
public final class CalicoCases {
  private static final String IN_X = "selector: pod == 'a'";

  private CalicoCases() {}

  public static List<PolicyCase> all() {
    List<PolicyCase> cases = new ArrayList<>();
    types(cases);
    tiers(cases);
    profiles(cases);
    return cases;
  }

  private static PolicyCase of(String name, Resource... resources) {
    return PolicyCase.of("calico " + name, resources);
  }

  private static void types(List<PolicyCase> cases) {
    cases.add(of("no rules at all", calico("x", "p", "{selector: pod == 'a'}")));
    cases.add(
        of(
            "only egress rules",
            calico("x", "p", "{%s, egress: [{action: Allow, protocol: TCP}]}".formatted(IN_X))));
    cases.add(
        of(
            "only ingress rules",
            calico("x", "p", "{%s, ingress: [{action: Allow, protocol: UDP}]}".formatted(IN_X))));
    cases.add(
        of(
            "both kinds of rules",
            calico(
                "x",
                "p",
                "{%s, ingress: [{action: Allow, protocol: UDP}], egress: [{action: Allow, protocol: TCP}]}"
                    .formatted(IN_X))));
    cases.add(
        of(
            "rules of a direction that is not in types",
            calico(
                "x",
                "p",
                "{%s, types: [Egress], ingress: [{action: Deny}], egress: [{action: Allow}]}"
                    .formatted(IN_X))));
    cases.add(
        of(
            "a global policy selects all namespaces",
            global("p", "{selector: pod == 'a', ingress: [{action: Deny}]}")));
    cases.add(
        of(
            "a global policy with a namespace selector",
            global(
                "p",
                """
                {selector: pod == 'a', namespaceSelector: "ns in {'x', 'z'}",
                 ingress: [{action: Deny}]}
                """)));
    cases.add(
        of(
            "a global policy for all namespaces",
            global("p", "{namespaceSelector: all(), types: [Ingress]}")));
    cases.add(
        of(
            "selected by service account",
            calico(
                "x",
                "p",
                "{serviceAccountSelector: all(), types: [Ingress], ingress: [{action: Allow, protocol: TCP}]}")));
  }

  private static void tiers(List<PolicyCase> cases) {
    Resource early = tier("early", "{order: 10}");
    Resource late = tier("late", "{order: 20}");
    Resource passing = tier("passing", "{order: 15, defaultAction: Pass}");
    Resource earlyAllow =
        global(
            "early.p",
            "{tier: early, order: 1, selector: pod == 'a', ingress: [{action: Allow, protocol: TCP}]}");
    Resource lateDeny =
        global("late.p", "{tier: late, order: 1, selector: pod == 'a', ingress: [{action: Deny}]}");
    cases.add(of("the earlier tier decides", early, late, lateDeny, earlyAllow));
    cases.add(
        of("a tier's order changes", early, late, lateDeny, earlyAllow)
            .thenUpdate(tier("late", "{order: 5}"))
            .thenUpdate(tier("late", "{order: 20}")));
    cases.add(
        of(
            "pass to the next tier",
            early,
            late,
            global(
                "early.p",
                "{tier: early, selector: pod == 'a', ingress: [{action: Pass, protocol: TCP}, {action: Deny, protocol: UDP}]}"),
            global(
                "late.p",
                "{tier: late, selector: pod == 'a', ingress: [{action: Allow, destination: {ports: [80]}, protocol: TCP}]}")));
    cases.add(
        of(
            "pass in the last tier leads to the profiles",
            early,
            global(
                "early.p",
                "{tier: early, selector: pod == 'a', ingress: [{action: Pass, protocol: UDP}, {action: Deny}]}")));
    cases.add(
        of(
                "a tier that passes by default",
                passing,
                global(
                    "passing.p",
                    "{tier: passing, selector: pod == 'a', ingress: [{action: Deny, protocol: SCTP}]}"))
            .thenUpdate(tier("passing", "{order: 15, defaultAction: Deny}")));
    cases.add(
        of(
            "a pass skips the rest of its tier",
            early,
            global(
                "early.a",
                "{tier: early, order: 1, selector: pod == 'a', ingress: [{action: Pass, protocol: TCP}]}"),
            global(
                "early.b",
                "{tier: early, order: 2, selector: pod == 'a', ingress: [{action: Deny}]}"),
            kubernetes(
                "x",
                "p",
                "{podSelector: {}, policyTypes: [Ingress], ingress: [{ports: [{port: 81}]}]}")));
    cases.add(
        of(
            "a tier with staged policies only",
            early,
            Stored.of(
                Kind.STAGED_GLOBAL_NETWORK_POLICY,
                "",
                "early.p",
                "{tier: early, selector: all(), ingress: [{action: Deny}]}")));
    cases.add(
        of(
            "policies of equal and missing order",
            global("b", "{selector: pod == 'a', ingress: [{action: Deny, protocol: TCP}]}"),
            global("a", "{selector: pod == 'a', ingress: [{action: Allow, protocol: TCP}]}"),
            global(
                "d", "{order: 7, selector: pod == 'a', ingress: [{action: Allow, protocol: UDP}]}"),
            global(
                "c",
                "{order: 7, selector: pod == 'a', ingress: [{action: Deny, protocol: UDP}]}")));
    cases.add(
        of(
            "before and after a policy of Kubernetes",
            kubernetes(
                "x",
                "k",
                "{podSelector: {}, policyTypes: [Ingress], ingress: [{ports: [{port: 80}, {port: 81}]}]}"),
            calico(
                "x",
                "before",
                "{order: 999, types: [Ingress], ingress: [{action: Deny, protocol: TCP, destination: {ports: [81]}}]}"),
            calico(
                "x",
                "after",
                "{order: 1001, types: [Ingress], ingress: [{action: Deny, protocol: TCP}, {action: Allow, protocol: UDP}]}")));
    cases.add(
        of(
            "each direction has its own tiers",
            early,
            late,
            global("early.p", "{tier: early, selector: pod == 'a', types: [Egress]}"),
            global(
                "late.p",
                "{tier: late, selector: pod == 'a', ingress: [{action: Allow, protocol: TCP}]}")));
  }

  private static void profiles(List<PolicyCase> cases) {
    Resource custom =
        Stored.of(
            Kind.PROFILE,
            "",
            "custom",
            "{ingress: [{action: Allow, protocol: TCP}, {action: Deny, protocol: UDP}], egress: [{action: Allow}], labelsToApply: {extra: yes-please}}");
    cases.add(
        of("an own profile", custom)
            .then("used", world -> world.setProfiles(world.pod("x", "a"), "custom"))
            .then("and another", world -> world.setProfiles(world.pod("x", "a"), "custom", "kns.x"))
            .then("none", world -> world.setProfiles(world.pod("x", "a")))
            .then("missing", world -> world.setProfiles(world.pod("x", "a"), "missing", "kns.x"))
            .then(
                "restored",
                world -> world.setProfiles(world.pod("x", "a"), "kns.x", "ksa.x.default")));
    cases.add(
        of(
                "labels of a profile",
                custom,
                calico(
                    "x",
                    "p",
                    "{selector: has(extra), types: [Ingress], ingress: [{action: Allow, protocol: SCTP}]}"))
            .then("used", world -> world.setProfiles(world.pod("x", "a"), "custom"))
            .then(
                "restored",
                world -> world.setProfiles(world.pod("x", "a"), "kns.x", "ksa.x.default")));
    cases.add(
        of(
            "a stored profile of a namespace",
            Stored.of(
                Kind.PROFILE,
                "",
                "kns.y",
                "{ingress: [{action: Allow, protocol: UDP}], egress: [{action: Allow}], labelsToApply: {pcns.ns: other}}"),
            calico(
                "x",
                "p",
                "{selector: pod == 'a', types: [Ingress], ingress: [{action: Allow, source: {namespaceSelector: ns == 'other'}}]}")));
  }
}

package io.ocicat.agent.matrix;

import static io.ocicat.agent.matrix.Stored.calico;
import static io.ocicat.agent.matrix.Stored.global;
import static io.ocicat.agent.matrix.Stored.kubernetes;
import static io.ocicat.agent.matrix.Stored.tier;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Calico's own policies: types, tiers, rules, ports and network sets. */
public final class CalicoCases {
  private static final String IN_X = "selector: pod == 'a'";

  private CalicoCases() {}

  public static List<PolicyCase> all() {
    List<PolicyCase> cases = new ArrayList<>();
    types(cases);
    tiers(cases);
    rules(cases);
    peers(cases);
    ports(cases);
    networkSets(cases);
    profiles(cases);
    hosts(cases);
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

  private static Resource rule(String rule) {
    return calico("x", "p", "{%s, types: [Ingress], ingress: [%s]}".formatted(IN_X, rule));
  }

  private static Resource egressRule(String rule) {
    return calico("x", "p", "{%s, types: [Egress], egress: [%s]}".formatted(IN_X, rule));
  }

  private static void rules(List<PolicyCase> cases) {
    for (String rule :
        List.of(
            "{action: Allow, notProtocol: TCP}",
            "{action: Allow, protocol: 17}",
            "{action: Allow, protocol: SCTP}",
            "{action: Allow, notProtocol: 132}",
            "{action: Allow, ipVersion: 6}",
            "{action: Allow, ipVersion: 4, protocol: UDP}",
            "{action: Allow, ipVersion: 4, protocol: ICMP}",
            "{action: Allow, ipVersion: 6, protocol: ICMPv6}",
            "{action: Allow, protocol: ICMP, icmp: {type: 8}}",
            "{action: Allow, protocol: ICMP, icmp: {type: 8, code: 0}}",
            "{action: Allow, protocol: ICMP, icmp: {type: 8, code: 1}}",
            "{action: Allow, protocol: ICMPv6, icmp: {type: 128, code: 0}}",
            "{action: Allow, protocol: ICMP, notICMP: {type: 8}}",
            "{action: Allow, protocol: ICMP, notICMP: {type: 8, code: 1}}",
            "{action: Allow, protocol: ICMP, notICMP: {type: 9, code: 0}}",
            "{action: Allow, protocol: ICMPv6, notICMP: {type: 128, code: 3}}",
            "{action: Log}, {action: Allow, protocol: TCP}",
            "{action: Deny, protocol: TCP}, {action: Allow}",
            "{action: Allow, source: {nets: [10.65.1.0/24, 192.168.7.100/32]}}",
            "{action: Allow, source: {notNets: [10.65.1.0/24, 10.65.1.0/28]}}",
            "{action: Deny, source: {notNets: ['fd00:65::1:0/112']}}, {action: Allow}",
            "{action: Allow, source: {nets: [10.65.0.0/16], notNets: [10.65.2.0/24]}}",
            "{action: Allow, source: {nets: ['fd00:65::/48']}}",
            "{action: Allow, source: {nets: [0.0.0.0/0]}}",
            "{action: Allow, destination: {nets: [10.65.1.0/24]}}",
            "{action: Pass, protocol: UDP}, {action: Deny}")) {
      cases.add(of("rule " + rule, rule(rule)));
    }
  }

  private static void peers(List<PolicyCase> cases) {
    for (String side :
        List.of(
            "{selector: pod == 'b'}",
            "{notSelector: pod == 'b'}",
            "{selector: has(pod), notSelector: pod == 'b'}",
            "{selector: '!has(nothing)'}",
            "{notSelector: has(nothing)}",
            "{namespaceSelector: ns == 'y'}",
            "{namespaceSelector: all()}",
            "{namespaceSelector: ns != 'y', selector: pod == 'a'}",
            "{namespaceSelector: ns == 'z', notSelector: pod == 'c'}",
            "{namespaceSelector: global()}",
            "{serviceAccounts: {names: [default]}}",
            "{serviceAccounts: {names: [other]}}",
            "{selector: pod == 'b', nets: [10.65.1.0/24]}",
            "{selector: \"pod in {'b', 'c'} || pod starts with 'q'\"}",
            "{selector: \"pod contains 'b' && !(pod ends with 'x')\"}")) {
      cases.add(of("peer " + side, rule("{action: Allow, source: %s}".formatted(side))));
      cases.add(
          of(
              "egress peer " + side,
              egressRule("{action: Allow, destination: %s}".formatted(side))));
      cases.add(
          of(
              "global peer " + side,
              global(
                  "p",
                  "{selector: pod == 'a', types: [Ingress], ingress: [{action: Allow, source: %s}]}"
                      .formatted(side))));
    }
    cases.add(
        of(
            "deny by peer in a global policy",
            global(
                "p",
                """
                {selector: pod == 'a', types: [Ingress, Egress],
                 ingress: [{action: Deny, source: {notSelector: pod == 'b'}}, {action: Allow}],
                 egress: [{action: Deny, destination: {selector: pod == 'b'}}, {action: Allow}]}
                """)));
    cases.add(
        of(
            "source and destination in one rule",
            global(
                "p",
                """
                {selector: "pod in {'a', 'b'}", types: [Ingress],
                 ingress: [{action: Allow, source: {selector: pod == 'c'}, destination: {selector: pod == 'b'}}]}
                """)));
  }

  private static void ports(List<PolicyCase> cases) {
    String sixteen = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, '16:18'";
    for (String protocol : List.of("TCP", "UDP", "SCTP")) {
      String named = "serve-81-" + protocol.toLowerCase(Locale.ROOT);
      for (String list : List.of("ports", "notPorts")) {
        for (String numbers : List.of("", "80", sixteen)) {
          for (String selector : List.of("", "selector: pod == 'a', ")) {
            String all = numbers.isEmpty() ? named : named + ", " + numbers;
            cases.add(
                of(
                    "%s %s [%s] %s".formatted(protocol, list, all, selector),
                    rule(
                        "{action: Allow, protocol: %s, destination: {%s%s: [%s]}}"
                            .formatted(protocol, selector, list, all))));
          }
        }
      }
      cases.add(
          of(
              protocol + " egress named",
              egressRule(
                  "{action: Allow, protocol: %s, destination: {namespaceSelector: ns == 'y', ports: [%s]}}"
                      .formatted(protocol, named))));
      cases.add(
          of(
              protocol + " range",
              rule(
                  "{action: Allow, protocol: %s, destination: {ports: ['70:80', 90]}}"
                      .formatted(protocol))));
    }
    cases.add(
        of(
            "source ports below those that are used",
            rule("{action: Allow, protocol: TCP, source: {ports: ['1:9999']}}"),
            calico(
                "y",
                "p",
                "{types: [Ingress], ingress: [{action: Allow, protocol: UDP, source: {ports: ['10000:59999']}}]}")));
    cases.add(
        of(
            "named ports of any protocol",
            rule(
                "{action: Allow, destination: {ports: [serve-80-tcp]}, protocol: TCP}, {action: Deny}")));
  }

  private static Resource set(String name, String role, String nets) {
    return Stored.labelled(
        Stored.of(Kind.GLOBAL_NETWORK_SET, "", name, "{nets: [%s]}".formatted(nets)),
        Map.of("role", role));
  }

  private static void networkSets(List<PolicyCase> cases) {
    Resource allow =
        global(
            "p",
            "{selector: pod == 'a', types: [Ingress], ingress: [{action: Allow, source: {selector: role == 'friend'}}]}");
    Resource wide = set("wide", "friend", "10.65.1.0/24, 10.65.0.0/16");
    Resource narrow = set("narrow", "friend", "10.65.1.0/28, 10.65.1.0/24, 'fd00:65::1:0/112'");
    cases.add(
        of("overlapping sets", wide, narrow, allow)
            .thenDelete(wide)
            .thenUpdate(set("narrow", "friend", "10.65.1.0/28, 10.65.1.16/28"))
            .thenUpdate(set("narrow", "foe", "10.65.1.0/28")));
    cases.add(
        of(
                "the same net in two sets",
                set("one", "friend", "10.65.2.0/24"),
                set("two", "friend", "10.65.2.0/24"),
                allow)
            .thenUpdate(set("one", "foe", "10.65.2.0/24")));
    cases.add(
        of("everything", set("all", "friend", "0.0.0.0/0, '::/0', 10.65.1.0/24"), allow)
            .thenUpdate(set("all", "friend", "10.65.1.0/24, 10.65.1.4/32"))
            .thenUpdate(set("all", "friend", "10.65.1.4/32")));
    cases.add(
        of("halves of everything", set("all", "friend", "0.0.0.0/1, 128.0.0.0/1, '::/1'"), allow));
    cases.add(
        of(
            "a set of a namespace",
            Stored.labelled(
                Stored.of(
                    Kind.NETWORK_SET, "y", "s", "{nets: [192.168.7.100/32, 'fd00:7::100/128']}"),
                Map.of("role", "friend")),
            rule(
                "{action: Allow, source: {namespaceSelector: ns == 'y', selector: role == 'friend'}}")));
    cases.add(
        of(
            "a set and endpoints by one selector",
            set("all", "friend", "192.168.7.0/25"),
            global(
                "p",
                "{selector: pod == 'a', types: [Ingress], ingress: [{action: Allow, source: {selector: role == 'friend' || pod == 'b'}}]}")));
    cases.add(
        of(
            "a denied set",
            set("all", "foe", "10.65.1.0/24"),
            global(
                "p",
                "{selector: pod == 'a', types: [Egress], egress: [{action: Deny, destination: {selector: role == 'foe'}}, {action: Allow}]}")));
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
            rule("{action: Allow, source: {namespaceSelector: ns == 'other'}}")));
  }

  private static void hosts(List<PolicyCase> cases) {
    Resource named =
        host("h1", "{node: node1, interfaceName: eth0, expectedIPs: [192.168.7.1, 'fd00:7::1']}");
    Resource allow =
        global(
            "h",
            "{selector: has(host), types: [Ingress, Egress], ingress: [{action: Allow, protocol: TCP}], egress: [{action: Allow, protocol: UDP}]}");
    cases.add(of("host endpoint by name", named, allow));
    cases.add(of("host endpoint without policy", named));
    cases.add(
        of(
            "host endpoint by address",
            host("h1", "{node: node1, expectedIPs: [192.168.7.1]}"),
            allow));
    cases.add(
        of(
            "host endpoint of all interfaces",
            host("h1", "{node: node1, interfaceName: '*'}"),
            allow));
    cases.add(
        of(
            "host endpoint with a profile",
            host("h1", "{node: node1, interfaceName: eth0, profiles: [open]}"),
            Stored.of(
                Kind.PROFILE,
                "",
                "open",
                "{ingress: [{action: Allow, protocol: UDP}], egress: [{action: Allow}]}")));
    cases.add(
        of(
            "applied to forwarded traffic",
            named,
            global(
                "h",
                """
                {selector: has(host), types: [Ingress], applyOnForward: true,
                 ingress: [{action: Allow, protocol: TCP}, {action: Deny, protocol: UDP, destination: {ports: [80]}},
                           {action: Allow, protocol: UDP}]}
                """)));
    cases.add(
        of(
            "host endpoints as peers",
            named,
            allow,
            rule(
                "{action: Allow, protocol: SCTP, source: {namespaceSelector: global(), selector: has(host)}}")));
  }

  private static Resource host(String name, String spec) {
    return Stored.labelled(
        Stored.of(Kind.HOST_ENDPOINT, "", name, spec), Map.of("host", "yes-it-is"));
  }
}

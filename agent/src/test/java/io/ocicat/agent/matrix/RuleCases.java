package io.ocicat.agent.matrix;

import static io.ocicat.agent.matrix.Stored.calico;
import static io.ocicat.agent.matrix.Stored.global;

import io.ocicat.datastore.resource.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The matches of Calico's rules: protocols, networks, selectors and ports. */
public final class RuleCases {
  private static final String IN_X = "selector: pod == 'a'";

  private RuleCases() {}

  public static List<PolicyCase> all() {
    List<PolicyCase> cases = new ArrayList<>();
    rules(cases);
    peers(cases);
    ports(cases);
    return cases;
  }

  private static PolicyCase of(String name, Resource... resources) {
    return PolicyCase.of("calico " + name, resources);
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
}

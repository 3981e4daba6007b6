package io.ocicat.agent.matrix;

import static io.ocicat.agent.matrix.Stored.calico;
import static io.ocicat.agent.matrix.Stored.global;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Network sets, which overlap and change, and host endpoints. */
public final class SetAndHostCases {
  private static final String IN_X = "selector: pod == 'a'";

  private SetAndHostCases() {}

  public static List<PolicyCase> all() {
    List<PolicyCase> cases = new ArrayList<>();
    networkSets(cases);
    hosts(cases);
    return cases;
  }

  private static PolicyCase of(String name, Resource... resources) {
    return PolicyCase.of("calico " + name, resources);
  }

  private static Resource rule(String rule) {
    return calico("x", "p", "{%s, types: [Ingress], ingress: [%s]}".formatted(IN_X, rule));
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

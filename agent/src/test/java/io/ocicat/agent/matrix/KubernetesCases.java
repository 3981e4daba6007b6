package io.ocicat.agent.matrix;

import static io.ocicat.agent.matrix.Stored.kubernetes;

import io.ocicat.datastore.resource.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What Kubernetes' own end-to-end tests try, by the names they have there. */
public final class KubernetesCases {
  private static final String ALL = "{}";
  private static final String A = "{matchLabels: {pod: a}}";
  private static final String B = "{matchLabels: {pod: b}}";

  private KubernetesCases() {}

  public static List<PolicyCase> all() {
    List<PolicyCase> cases = new ArrayList<>();
    defaults(cases);
    selectors(cases);
    ports(cases);
    stacked(cases);
    egress(cases);
    blocks(cases);
    protocols(cases);
    changes(cases);
    return cases;
  }

  private static Resource ingress(String name, String target, String rules) {
    return kubernetes(
        "x",
        name,
        "{podSelector: %s, policyTypes: [Ingress], ingress: [%s]}".formatted(target, rules));
  }

  private static Resource egress(String name, String target, String rules) {
    return kubernetes(
        "x",
        name,
        "{podSelector: %s, policyTypes: [Egress], egress: [%s]}".formatted(target, rules));
  }

  private static PolicyCase of(String name, Resource... resources) {
    return PolicyCase.of("e2e " + name, resources);
  }

  private static void defaults(List<PolicyCase> cases) {
    cases.add(of("default deny ingress", ingress("p", ALL, "")));
    cases.add(
        of(
            "default deny all",
            kubernetes("x", "p", "{podSelector: {}, policyTypes: [Ingress, Egress]}")));
    cases.add(of("allow all", ingress("p", ALL, "{}")));
    cases.add(of("overridden by allow all", ingress("deny", ALL, ""), ingress("allow", ALL, "{}")));
  }

  private static void selectors(List<PolicyCase> cases) {
    cases.add(
        of(
            "pods of the same namespace",
            ingress("p", A, "{from: [{podSelector: %s}]}".formatted(B))));
    cases.add(
        of(
            "to the target label only",
            ingress("p", A, "{from: [{podSelector: {}, namespaceSelector: {}}]}")));
    cases.add(of("all namespaces", ingress("p", A, "{from: [{namespaceSelector: {}}]}")));
    cases.add(
        of(
            "another namespace",
            ingress("p", A, "{from: [{namespaceSelector: {matchLabels: {ns: 'y'}}}]}")));
    cases.add(
        of(
            "matchExpressions of pods",
            ingress(
                "p",
                "{matchExpressions: [{key: pod, operator: NotIn, values: [b, c]}]}",
                """
                {from: [{podSelector: {matchExpressions: [{key: pod, operator: Exists},
                  {key: pod, operator: In, values: [b]}]}}]}
                """)));
    cases.add(
        of(
            "matchExpressions of namespaces",
            ingress(
                "p",
                A,
                """
                {from: [{namespaceSelector: {matchExpressions:
                  [{key: ns, operator: NotIn, values: [z]}]}}]}
                """)));
    cases.add(
        of(
            "namespaces without a label",
            ingress(
                "p",
                A,
                """
                {from: [{namespaceSelector: {matchExpressions:
                  [{key: nobody, operator: DoesNotExist}, {key: ns, operator: In, values: [z]}]}}]}
                """)));
    cases.add(
        of(
            "pod or namespace",
            ingress(
                "p",
                A,
                "{from: [{podSelector: %s}, {namespaceSelector: {matchLabels: {ns: 'y'}}}]}"
                    .formatted(B))));
    cases.add(
        of(
            "pod and namespace",
            ingress(
                "p",
                A,
                "{from: [{podSelector: %s, namespaceSelector: {matchLabels: {ns: 'y'}}}]}"
                    .formatted(B))));
    cases.add(
        of(
            "several pod and namespace selectors",
            ingress(
                "p",
                A,
                """
                {from: [
                  {podSelector: {matchExpressions: [{key: pod, operator: In, values: [b, c]}]},
                   namespaceSelector: {matchExpressions: [{key: ns, operator: In, values: ['y']}]}},
                  {podSelector: {matchLabels: {pod: a}}, namespaceSelector: {matchLabels: {ns: z}}}]}
                """)));
    cases.add(
        of(
            "by the name of a namespace",
            ingress(
                "p",
                A,
                """
                {from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: 'y'}}}]}
                """)));
    cases.add(of("deny from other namespaces", ingress("p", ALL, "{from: [{podSelector: {}}]}")));
  }

  private static void ports(List<PolicyCase> cases) {
    cases.add(of("by port", ingress("p", A, "{ports: [{port: 81}]}")));
    cases.add(
        of(
            "by port and namespace",
            ingress(
                "p",
                A,
                "{from: [{namespaceSelector: {matchLabels: {ns: 'y'}}}], ports: [{port: 81}]}")));
    cases.add(of("named port", ingress("p", A, "{ports: [{port: serve-81-tcp}]}")));
    cases.add(
        of(
            "named port from a namespace",
            ingress(
                "p",
                A,
                """
                {from: [{namespaceSelector: {matchLabels: {ns: 'y'}}}],
                 ports: [{port: serve-80-tcp}]}
                """)));
    cases.add(of("egress named port", egress("p", A, "{ports: [{port: serve-80-tcp}]}")));
    cases.add(of("any port of one protocol", ingress("p", A, "{ports: [{protocol: UDP}]}")));
    cases.add(of("range of ports", ingress("p", A, "{ports: [{port: 81, endPort: 90}]}")));
    cases.add(of("egress range of ports", egress("p", A, "{ports: [{port: 70, endPort: 80}]}")));
  }

  private static void stacked(List<PolicyCase> cases) {
    cases.add(
        of(
            "stacked policies with overlapping pods",
            ingress("p1", A, "{from: [{podSelector: %s}], ports: [{port: 80}]}".formatted(B)),
            ingress(
                "p2",
                "{matchExpressions: [{key: pod, operator: In, values: [a, b]}]}",
                "{from: [{namespaceSelector: {matchLabels: {ns: 'y'}}}], ports: [{port: 81}]}")));
    cases.add(
        of(
            "several egress policies",
            egress("p1", A, "{to: [{podSelector: %s}], ports: [{port: 80}]}".formatted(B)),
            egress(
                "p2",
                A,
                "{to: [{namespaceSelector: {matchLabels: {ns: z}}}], ports: [{port: 81}]}")));
    cases.add(
        of(
            "several ingress policies, one allows all",
            ingress("p1", A, "{from: [{podSelector: %s}], ports: [{port: 80}]}".formatted(B)),
            ingress("p2", A, "{}")));
    Resource deny = ingress("deny", ALL, "");
    cases.add(of("stops after deletion", deny).thenDelete(deny));
  }

  private static void egress(List<PolicyCase> cases) {
    cases.add(of("egress denied for one pod", egress("p", A, "")));
    cases.add(of("egress denied for a namespace", egress("p", ALL, "")));
    cases.add(
        of(
            "ingress and egress together",
            kubernetes(
                "x",
                "p",
                """
                {podSelector: {matchLabels: {pod: a}}, policyTypes: [Ingress, Egress],
                 ingress: [{from: [{podSelector: {matchLabels: {pod: b}}}]}],
                 egress: [{to: [{namespaceSelector: {matchLabels: {ns: 'y'}}}],
                           ports: [{protocol: UDP, port: 80}, {protocol: TCP, port: 80}]}]}
                """)));
    cases.add(
        of(
            "denied at the client although the server allows",
            egress("client", A, "{to: [{podSelector: {matchLabels: {pod: c}}}]}"),
            kubernetes(
                "y",
                "server",
                "{podSelector: {matchLabels: {pod: a}}, policyTypes: [Ingress], ingress: [{}]}")));
    cases.add(
        of(
            "ingress and egress are independent",
            ingress("in", A, ""),
            egress("out", B, "{to: [{podSelector: %s}]}".formatted(A))));
    cases.add(
        of(
            "egress to a server in a CIDR and a namespace",
            egress(
                "p",
                A,
                """
                {to: [{ipBlock: {cidr: 10.65.2.0/24}},
                      {namespaceSelector: {matchLabels: {ns: 'y'}},
                       podSelector: {matchLabels: {pod: b}}}]}
                """)));
  }

  private static void blocks(List<PolicyCase> cases) {
    cases.add(of("egress to a CIDR", egress("p", A, "{to: [{ipBlock: {cidr: 10.65.2.0/24}}]}")));
    cases.add(
        of(
            "ingress from outside only",
            ingress("p", A, "{from: [{ipBlock: {cidr: 192.168.7.100/32}}]}")));
    cases.add(
        of(
            "everything except the pods",
            ingress(
                "p",
                A,
                """
                {from: [{ipBlock: {cidr: 0.0.0.0/0, except: [10.65.0.0/16]}},
                        {ipBlock: {cidr: '::/0', except: ['fd00:65::/48']}}]}
                """)));
    cases.add(
        of(
            "except",
            egress("p", A, "{to: [{ipBlock: {cidr: 10.65.2.0/24, except: [10.65.2.0/28]}}]}")));
    cases.add(
        of(
            "in the except of one policy and the CIDR of another",
            egress("p1", A, "{to: [{ipBlock: {cidr: 10.65.2.0/24, except: [10.65.2.0/28]}}]}"),
            egress("p2", A, "{to: [{ipBlock: {cidr: 10.65.2.0/28}}]}")));
  }

  private static void protocols(List<PolicyCase> cases) {
    for (String protocol : List.of("UDP", "SCTP")) {
      cases.add(
          of(
              protocol + " by port, other protocols refused",
              ingress("p", A, "{ports: [{protocol: %s, port: 81}]}".formatted(protocol))));
      cases.add(
          of(
              protocol + " from a namespace",
              ingress(
                  "p",
                  A,
                  """
                  {from: [{namespaceSelector: {matchLabels: {ns: 'y'}}}],
                   ports: [{protocol: %s, port: 80}]}
                  """
                      .formatted(protocol))));
    }
  }

  private static void changes(List<PolicyCase> cases) {
    cases.add(
        of("updated policy", ingress("p", A, "{ports: [{port: 81}]}"))
            .thenUpdate(ingress("p", A, "{ports: [{port: 80}]}"))
            .thenUpdate(egress("p", A, "{ports: [{protocol: UDP, port: 80}]}")));
    cases.add(
        of(
                "updated namespace label",
                ingress("p", A, "{from: [{namespaceSelector: {matchLabels: {ns2: updated}}}]}"))
            .then(
                "label set",
                world -> world.setNamespaceLabels("y", Map.of("ns", "y", "ns2", "updated")))
            .then("label reset", world -> world.setNamespaceLabels("y", Map.of("ns", "y"))));
    cases.add(
        of(
                "updated pod label",
                ingress("p", A, "{from: [{podSelector: {matchLabels: {pod2: updated}}}]}"))
            .then(
                "label set",
                world ->
                    world.setPodLabels(world.pod("x", "b"), Map.of("pod", "b", "pod2", "updated")))
            .then(
                "label reset",
                world -> world.setPodLabels(world.pod("x", "b"), PolicyWorld.podLabels("b"))));
    cases.add(
        of("deny to an updated pod", ingress("p", "{matchLabels: {target: isolated}}", ""))
            .then(
                "label set",
                world ->
                    world.setPodLabels(
                        world.pod("x", "a"), Map.of("pod", "a", "target", "isolated")))
            .then(
                "label reset",
                world -> world.setPodLabels(world.pod("x", "a"), PolicyWorld.podLabels("a"))));
    cases.add(
        of(
                "pod added and removed",
                ingress("p", ALL, "{from: [{podSelector: {matchLabels: {pod: d}}}]}"))
            .then("added", world -> world.addPod("x", "d", 1, 12))
            .then("removed", world -> world.removePod(world.pod("x", "d"))));
  }
}

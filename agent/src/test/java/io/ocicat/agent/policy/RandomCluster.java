package io.ocicat.agent.policy;

import io.ocicat.agent.filter.FirstPacket;
import io.ocicat.agent.policy.model.PolicyYaml;
import io.ocicat.agent.policy.model.Protocols;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Random resources from a small world, in which names, labels, addresses, interfaces and orders
 * often coincide. Some of the rules are invalid.
 */
public final class RandomCluster {
  static final String LOCAL = "n1";
  private static final List<String> NAMESPACES = List.of("a", "b", "c");
  private static final List<String> APPS = List.of("web", "db", "api");
  private static final List<String> SELECTORS =
      List.of(
          "all()",
          "app == 'web'",
          "app != 'db'",
          "has(app)",
          "'!has(app)'",
          "app in {'web', 'db'}",
          "app not in {'web'} && has(team)",
          "app starts with 'w' || team == 'x'",
          "team == 'x' && app == 'api'",
          "'!(app == ''web'')'");
  private static final List<String> NAMESPACE_SELECTORS =
      List.of(
          "team == 'x'",
          "has(team)",
          "all()",
          "projectcalico.org/name == 'a'",
          "kubernetes.io/metadata.name in {'b', 'c'}",
          "global()");

  private final Random random;

  public RandomCluster(long seed) {
    this.random = new Random(seed);
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private String optional(int percent, Supplier<String> text) {
    return chance(percent) ? text.get() : "";
  }

  /** A resource with one of few names: it replaces an earlier one about as often as not. */
  public Resource next() {
    return switch (random.nextInt(20)) {
      case 0, 1, 2, 3, 4, 5 -> workload();
      case 6 -> host();
      case 7, 8 -> networks();
      case 9 -> namespace();
      case 10 -> profile();
      case 11 -> tier();
      case 12, 13 -> networkPolicy();
      case 14, 15 -> globalPolicy();
      case 16, 17 -> kubernetesPolicy();
      case 18 -> clusterPolicy();
      default -> slice();
    };
  }

  private String labels() {
    return "{app: %s%s}"
        .formatted(one(APPS), optional(40, () -> ", team: " + one(List.of("x", "w"))));
  }

  private String address() {
    return chance(80) ? "10.0.0." + random.nextInt(24) : "fd00::" + random.nextInt(12);
  }

  private Resource workload() {
    String namespace = one(NAMESPACES);
    String pod = "p" + random.nextInt(10);
    String node = one(List.of(LOCAL, "n2"));
    return PolicyYaml.resource(
        Kind.WORKLOAD_ENDPOINT,
        "%s/%s-k8s-%s-eth0".formatted(namespace, node, pod),
        """
        metadata: {labels: %s}
        spec:
          node: %s
          orchestrator: k8s
          pod: %s
          endpoint: eth0
          serviceAccountName: %s
          interfaceName: cali%d
          ipNetworks: [%s]
          profiles: [%s]
          ports:
          - {name: http, protocol: TCP, port: %d}
          - {name: dns, protocol: UDP, port: 53}
          %s
        """
            .formatted(
                labels(),
                node,
                pod,
                one(List.of("default", "robot")),
                random.nextInt(12),
                "'%s', '%s'".formatted(address(), address()),
                one(
                    List.of(
                        "kns.%s, ksa.%s.default".formatted(namespace, namespace),
                        "kns." + namespace,
                        "custom, kns." + namespace,
                        "ghost",
                        "")),
                one(List.of(80, 81)),
                optional(10, () -> "allowSpoofedSourcePrefixes: [10.9.0.0/16]")));
  }

  private Resource host() {
    return PolicyYaml.resource(
        Kind.HOST_ENDPOINT,
        "h" + random.nextInt(4),
        """
        metadata: {labels: %s}
        spec:
          node: %s
          interfaceName: %s
          expectedIPs: ['%s']
          profiles: [%s]
          ports: [{name: http, protocol: TCP, port: 80}]
        """
            .formatted(
                labels(),
                one(List.of(LOCAL, "n2")),
                one(List.of("'*'", "eth0", "''")),
                address(),
                one(List.of("", "custom", "projectcalico-default-allow"))));
  }

  private Resource networks() {
    boolean global = chance(50);
    return PolicyYaml.resource(
        global ? Kind.GLOBAL_NETWORK_SET : Kind.NETWORK_SET,
        (global ? "" : one(NAMESPACES) + "/") + "set" + random.nextInt(3),
        """
        metadata: {labels: %s}
        spec: {nets: [%s]}
        """
            .formatted(
                labels(),
                one(
                    List.of(
                        "10.0.0.0/28",
                        "10.0.0.0/28, 10.0.0.4/30",
                        "0.0.0.0/0",
                        "10.0.0.5, broken",
                        "'fd00::/125'"))));
  }

  private Resource namespace() {
    return PolicyYaml.resource(
        Kind.NAMESPACE,
        one(NAMESPACES),
        "metadata: {labels: {team: %s}}".formatted(one(List.of("x", "w"))));
  }

  private Resource profile() {
    String name = one(List.of("custom", "kns.a"));
    return PolicyYaml.resource(
        Kind.PROFILE,
        name,
        """
        spec:
          labelsToApply: {team: x, pcns.team: %s}
          ingress: [%s]
          egress: [%s]
        """
            .formatted(one(List.of("x", "w")), rules(1), rules(1)));
  }

  private Resource tier() {
    return PolicyYaml.resource(
        Kind.TIER,
        one(List.of("t1", "t2", "default")),
        "spec: {%s defaultAction: %s}"
            .formatted(
                optional(70, () -> "order: %d,".formatted(random.nextInt(3))),
                one(List.of("Deny", "Pass"))));
  }

  private String policy() {
    return """
          tier: %s
          %s
          selector: %s
          %s
          ingress: [%s]
          egress: [%s]
          %s
        """
        .formatted(
            one(List.of("default", "t1", "t2", "nowhere")),
            optional(60, () -> "order: " + random.nextInt(3)),
            chance(3) ? "bad ==" : one(SELECTORS),
            optional(15, () -> "serviceAccountSelector: has(x) || all()"),
            rules(3),
            rules(2),
            optional(
                40,
                () ->
                    "types: [%s]".formatted(one(List.of("Ingress", "Egress", "Ingress, Egress")))));
  }

  private Resource networkPolicy() {
    return PolicyYaml.resource(
        Kind.NETWORK_POLICY,
        one(NAMESPACES) + "/" + one(List.of("p", "default.p", "p-q")),
        "spec:\n" + policy());
  }

  private Resource globalPolicy() {
    return PolicyYaml.resource(
        Kind.GLOBAL_NETWORK_POLICY,
        one(List.of("p", "q", "r")),
        "spec:\n"
            + policy()
            + optional(20, () -> "  namespaceSelector: %s\n".formatted(one(NAMESPACE_SELECTORS)))
            + one(
                List.of(
                    "",
                    "",
                    "  applyOnForward: true\n",
                    "  applyOnForward: true\n  doNotTrack: true\n",
                    "  applyOnForward: true\n  preDNAT: true\n",
                    "  doNotTrack: true\n")));
  }

  private String rules(int most) {
    List<String> rules = new ArrayList<>();
    for (int i = random.nextInt(most + 1); i > 0; i--) {
      rules.add(rule());
    }
    return String.join(", ", rules);
  }

  private String rule() {
    boolean ports = chance(50);
    return "{action: %s%s%s, source: {%s}, destination: {%s}}"
        .formatted(
            one(List.of("Allow", "Allow", "Allow", "Deny", "Pass", "Log")),
            ports
                ? ", protocol: " + one(List.of("TCP", "UDP", "17"))
                : one(
                    List.of(
                        "",
                        "",
                        ", notProtocol: UDP",
                        ", protocol: ICMP, icmp: {type: 8}",
                        ", protocol: ICMP, notICMP: {type: 8, code: 0}",
                        ", icmp: {type: 8}",
                        ", http: {methods: [GET]}")),
            optional(10, () -> ", ipVersion: " + one(List.of("4", "6"))),
            peer(false),
            peer(ports));
  }

  private String peer(boolean ports) {
    List<String> fields = new ArrayList<>();
    if (chance(8)) {
      return "services: {name: svc, namespace: a}";
    }
    if (chance(40)) {
      fields.add(
          "selector: \"%s\"".formatted(one(SELECTORS).replaceAll("^'|'$", "").replace("''", "'")));
    }
    if (chance(15)) {
      fields.add("notSelector: \"app == 'web'\"");
    }
    if (chance(15)) {
      fields.add("namespaceSelector: \"%s\"".formatted(one(NAMESPACE_SELECTORS)));
    }
    if (chance(10)) {
      fields.add("serviceAccounts: {names: [robot]}");
    }
    if (chance(20)) {
      fields.add(
          "nets: [%s]".formatted(one(List.of("10.0.0.0/28", "10.0.0.0/8, 'fd00::/64'", "x"))));
    }
    if (chance(10)) {
      fields.add("notNets: [10.0.0.4/30]");
    }
    if (ports && chance(70)) {
      fields.add(
          "ports: [%s]".formatted(one(List.of("80", "http", "dns, 81", "'80:81'", "'9:1'"))));
    }
    if (ports && chance(15)) {
      fields.add("notPorts: [%s]".formatted(one(List.of("80", "http"))));
    }
    return String.join(", ", fields);
  }

  private Resource kubernetesPolicy() {
    String peer =
        one(
            List.of(
                "{podSelector: {matchLabels: {app: web}}}",
                "{namespaceSelector: {matchLabels: {team: x}}}",
                "{namespaceSelector: {}, podSelector: {matchExpressions: [{key: app, operator: In,"
                    + " values: [db, api]}]}}",
                "{ipBlock: {cidr: 10.0.0.0/24, except: [10.0.0.0/29]}}"));
    String port =
        one(
            List.of(
                "{}", "{protocol: UDP}", "{port: 80}", "{port: http}", "{port: 80, endPort: 81}"));
    return PolicyYaml.resource(
        Kind.KUBERNETES_NETWORK_POLICY,
        one(NAMESPACES) + "/" + one(List.of("p", "q")),
        """
        spec:
          podSelector: %s
          ingress: [%s]
          egress: [%s]
        """
            .formatted(
                one(List.of("{}", "{matchLabels: {app: web}}")),
                optional(60, () -> "{from: [%s], ports: [%s]}".formatted(peer, port)),
                optional(40, () -> "{to: [%s]}".formatted(peer))));
  }

  private Resource clusterPolicy() {
    String peer =
        one(List.of("{namespaces: {}}", "{pods: {podSelector: {matchLabels: {app: db}}}}"));
    return PolicyYaml.resource(
        Kind.CLUSTER_NETWORK_POLICY,
        "p" + random.nextInt(3),
        """
        spec:
          tier: %s
          priority: %d
          subject: {namespaces: {matchLabels: {team: x}}}
          ingress: [{action: %s, from: [%s], protocols: [%s]}]
          egress: [{action: %s, to: [%s]}]
        """
            .formatted(
                one(List.of("Admin", "Baseline")),
                random.nextInt(3),
                one(List.of("Accept", "Deny", "Pass")),
                peer,
                one(
                    List.of(
                        "",
                        "{tcp: {destinationPort: {number: 80}}}",
                        "{destinationNamedPort: http}")),
                one(List.of("Accept", "Deny", "Pass")),
                one(List.of(peer, "{networks: [10.0.0.0/28]}", "{nodes: {}}"))));
  }

  private Resource slice() {
    return PolicyYaml.resource(
        Kind.ENDPOINT_SLICE,
        "a/" + one(List.of("s1", "s2")),
        """
        metadata: {labels: {kubernetes.io/service-name: %s}}
        endpoints: [{addresses: ['%s']}, {addresses: ['%s']}]
        ports: [{protocol: TCP, port: 80}]
        """
            .formatted(one(List.of("svc", "other")), address(), address()));
  }

  /** A packet between addresses of one family that may or may not be known. */
  public FirstPacket packet() {
    IpAddress source = IpAddress.parse(address());
    IpAddress destination = IpAddress.parse(address());
    while (destination.isV4() != source.isV4()) {
      destination = IpAddress.parse(address());
    }
    if (chance(20)) {
      return FirstPacket.ping(source, destination);
    }
    return new FirstPacket(
        source,
        destination,
        one(List.of(Protocols.TCP, Protocols.UDP, Protocols.SCTP)),
        OptionalInt.of(one(List.of(80, 40000))),
        OptionalInt.of(one(List.of(53, 80, 81, 9999))),
        Optional.empty());
  }
}

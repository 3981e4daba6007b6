package io.ocicat.agent.matrix;

import io.ocicat.datastore.resource.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Policies of Kubernetes from a generator: every direction, peer and port by itself, and random
 * combinations.
 */
public final class GeneratedCases {
  private static final List<String> PEERS =
      List.of(
          "",
          "{ipBlock: {cidr: 10.65.1.0/24}}",
          "{ipBlock: {cidr: 10.65.1.0/24, except: [10.65.1.0/28]}}",
          "{ipBlock: {cidr: 'fd00:65::1:0/112'}}",
          "{ipBlock: {cidr: 'fd00:65::1:0/112', except: ['fd00:65::1:0/124']}}",
          "{podSelector: {}}",
          "{podSelector: {matchLabels: {pod: b}}}",
          "{namespaceSelector: {}}",
          "{namespaceSelector: {matchLabels: {ns: 'y'}}}",
          "{podSelector: {}, namespaceSelector: {}}",
          "{podSelector: {}, namespaceSelector: {matchLabels: {ns: 'y'}}}",
          "{podSelector: {matchLabels: {pod: b}}, namespaceSelector: {}}",
          "{podSelector: {matchLabels: {pod: b}}, namespaceSelector: {matchLabels: {ns: 'y'}}}");
  private static final List<String> TARGETS =
      List.of(
          "{}",
          "{matchLabels: {pod: a}}",
          "{matchExpressions: [{key: pod, operator: In, values: [a, b]}]}");
  private static final List<String> PORTS = ports();
  private static final List<Flow> DIRECTIONS = List.of(Flow.values());

  private GeneratedCases() {}

  private static List<String> ports() {
    List<String> ports = new ArrayList<>(List.of(""));
    for (String port : List.of("", "port: 80", "port: 81")) {
      ports.add("{" + port + "}");
      for (String protocol : List.of("TCP", "UDP", "SCTP")) {
        ports.add("{protocol: %s%s}".formatted(protocol, port.isEmpty() ? "" : ", " + port));
      }
    }
    for (String protocol : List.of("TCP", "UDP", "SCTP")) {
      String lower = protocol.toLowerCase(Locale.ROOT);
      ports.add("{protocol: %s, port: serve-80-%s}".formatted(protocol, lower));
      ports.add("{protocol: %s, port: serve-81-%s}".formatted(protocol, lower));
      ports.add("{protocol: %s, port: 53, endPort: 80}".formatted(protocol));
      ports.add("{protocol: %s, port: 53, endPort: 84}".formatted(protocol));
    }
    ports.add("{protocol: UDP, port: serve-80-tcp}");
    ports.add("{protocol: TCP, port: serve-7981-tcp}");
    ports.add("{protocol: TCP, port: 7981}");
    ports.add("{port: 80}, {port: 81}");
    ports.add("{protocol: TCP, port: 80}, {protocol: UDP, port: 81}");
    ports.add("{protocol: UDP, port: 80}, {protocol: UDP}");
    ports.add("{protocol: SCTP}, {protocol: TCP, port: serve-81-tcp}");
    ports.add("{port: serve-80-tcp}, {port: 81}");
    ports.add("{protocol: TCP, port: 7981}, {protocol: SCTP, port: 81}");
    ports.add("{protocol: UDP, port: serve-81-udp}, {protocol: UDP, port: 53, endPort: 80}");
    return ports;
  }

  /** Each direction with each peer and each port. */
  public static List<PolicyCase> singles() {
    List<PolicyCase> cases = new ArrayList<>();
    for (Flow direction : DIRECTIONS) {
      for (String peer : PEERS) {
        for (String ports : PORTS) {
          cases.add(
              of(
                  "%s %s %s".formatted(direction, peer, ports),
                  policy("p", "x", TARGETS.get(1), direction, rule(direction, peer, ports))));
        }
      }
    }
    return cases;
  }

  /** Each target with each combination of closed and open directions. */
  public static List<PolicyCase> targets() {
    List<PolicyCase> cases = new ArrayList<>();
    List<String> lists = List.of("", "[]", "[{}]");
    for (String namespace : PolicyWorld.NAMESPACES) {
      for (String target : TARGETS) {
        for (String ingress : lists) {
          for (String egress : lists) {
            if (!ingress.isEmpty() || !egress.isEmpty()) {
              cases.add(
                  of(
                      "%s %s ingress %s egress %s".formatted(namespace, target, ingress, egress),
                      policy(namespace, target, ingress, egress)));
            }
          }
        }
      }
    }
    return cases;
  }

  private static Resource policy(String namespace, String target, String ingress, String egress) {
    List<String> types = new ArrayList<>();
    StringBuilder spec = new StringBuilder("{podSelector: ").append(target);
    if (!ingress.isEmpty()) {
      types.add("Ingress");
      spec.append(", ingress: ").append(ingress);
    }
    if (!egress.isEmpty()) {
      types.add("Egress");
      spec.append(", egress: ").append(egress);
    }
    return Stored.kubernetes(
        namespace, "p", spec.append(", policyTypes: ").append(types).append("}").toString());
  }

  /** A policy that denies all next to one that allows something: the union wins. */
  public static List<PolicyCase> conflicts() {
    List<PolicyCase> cases = new ArrayList<>();
    for (Flow direction : DIRECTIONS) {
      for (String peer :
          List.of(
              "",
              "{podSelector: {matchLabels: {pod: b}}}",
              "{ipBlock: {cidr: 10.65.1.0/24}}",
              "{namespaceSelector: {matchLabels: {ns: 'y'}}}")) {
        for (boolean denyFirst : new boolean[] {true, false}) {
          cases.add(
              of(
                  "%s deny all and allow %s, %s".formatted(direction, peer, denyFirst),
                  policy(denyFirst ? "a" : "z", "x", "{}", direction, ""),
                  policy("m", "x", TARGETS.get(1), direction, rule(direction, peer, ""))));
        }
      }
    }
    return cases;
  }

  /** Several policies, targets, rules, peers and ports. */
  public static PolicyCase random(Random random) {
    int count = 1 + random.nextInt(3);
    List<Resource> policies = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Flow direction = pick(random, DIRECTIONS);
      List<String> rules = new ArrayList<>();
      for (int j = random.nextInt(3); j >= 0; j--) {
        String peers = pick(random, PEERS);
        String more = pick(random, PEERS);
        if (!peers.isEmpty() && !more.isEmpty()) {
          peers += ", " + more;
        }
        String ports = pick(random, PORTS);
        String morePorts = pick(random, PORTS);
        if (!ports.isEmpty() && !morePorts.isEmpty()) {
          ports += ", " + morePorts;
        }
        rules.add(rule(direction, peers, ports));
      }
      policies.add(
          policy(
              "p" + i,
              pick(random, PolicyWorld.NAMESPACES),
              pick(random, TARGETS),
              direction,
              String.join(", ", rules)));
    }
    return new PolicyCase(
        "random " + policies.stream().map(GeneratedCases::text).toList(), policies, List.of());
  }

  private static String text(Resource policy) {
    return policy.key().namespace() + " " + Documents.spec(policy);
  }

  static <T> T pick(Random random, List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private static String rule(Flow direction, String peers, String ports) {
    List<String> members = new ArrayList<>();
    if (!peers.isEmpty()) {
      members.add("%s: [%s]".formatted(direction == Flow.INGRESS ? "from" : "to", peers));
    }
    if (!ports.isEmpty()) {
      members.add("ports: [%s]".formatted(ports));
    }
    return "{" + String.join(", ", members) + "}";
  }

  private static Resource policy(
      String name, String namespace, String target, Flow direction, String rules) {
    return Stored.kubernetes(
        namespace,
        name,
        "{podSelector: %s, policyTypes: [%s], %s: [%s]}"
            .formatted(target, direction.type, direction.member, rules));
  }

  private static PolicyCase of(String name, Resource... resources) {
    return PolicyCase.of("generated " + name, resources);
  }
}

package io.ocicat.agent.matrix;

import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpAddress;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** A ClusterNetworkPolicy of Kubernetes, v1alpha2. */
record ClusterPolicy(Resource resource, List<KnownEndpoint> known) implements StoredPolicy {
  private JsonNode spec() {
    return Documents.spec(resource);
  }

  @Override
  public String tier() {
    return switch (spec().path("tier").asString("")) {
      case "Admin" -> "kube-admin";
      case "Baseline" -> "kube-baseline";
      default -> throw new IllegalArgumentException("tier of " + resource);
    };
  }

  @Override
  public double order() {
    return spec().path("priority").asDouble(0);
  }

  @Override
  public String tieBreak() {
    return resource.key().name() + "//KubernetesClusterNetworkPolicy";
  }

  @Override
  public boolean applies(KnownEndpoint endpoint, Flow direction) {
    return !spec().path(direction.member).isEmpty()
        && endpoint.isPod()
        && isPod(spec().path("subject"), endpoint);
  }

  /** Subjects and peers name pods alike. */
  private static boolean isPod(JsonNode choice, KnownEndpoint endpoint) {
    if (choice.has("namespaces")) {
      return new LabelSelector(choice.path("namespaces")).matches(endpoint.namespaceLabels());
    }
    JsonNode pods = choice.path("pods");
    return choice.has("pods")
        && new LabelSelector(pods.path("namespaceSelector")).matches(endpoint.namespaceLabels())
        && new LabelSelector(pods.path("podSelector")).matches(endpoint.labels());
  }

  @Override
  public Verdict decide(Packet packet, Flow direction) {
    IpAddress peer = direction == Flow.INGRESS ? packet.source() : packet.destination();
    String peers = direction == Flow.INGRESS ? "from" : "to";
    for (JsonNode rule : spec().path(direction.member).values()) {
      if (rule.path(peers).values().stream().anyMatch(it -> isPeer(it, peer))
          && matchesProtocols(rule.path("protocols"), packet)) {
        return switch (rule.path("action").asString("")) {
          case "Accept" -> Verdict.ALLOW;
          case "Deny" -> Verdict.DENY;
          case "Pass" -> Verdict.PASS;
          default -> throw new IllegalArgumentException("action of " + rule);
        };
      }
    }
    return Verdict.NONE;
  }

  private boolean isPeer(JsonNode peer, IpAddress address) {
    if (peer.has("networks")) {
      return Texts.list(peer.path("networks")).stream()
          .map(Texts::prefix)
          .anyMatch(network -> network.contains(address));
    }
    return known.stream()
        .filter(endpoint -> endpoint.isPod() && endpoint.has(address))
        .anyMatch(endpoint -> isPod(peer, endpoint));
  }

  private boolean matchesProtocols(JsonNode protocols, Packet packet) {
    return protocols.isEmpty()
        || protocols.values().stream().anyMatch(protocol -> isProtocol(protocol, packet));
  }

  private boolean isProtocol(JsonNode item, Packet packet) {
    if (item.has("destinationNamedPort")) {
      String name = item.path("destinationNamedPort").asString("");
      return known.stream()
          .filter(endpoint -> endpoint.has(packet.destination()))
          .anyMatch(
              endpoint -> endpoint.declares(name, packet.protocol(), packet.destinationPort()));
    }
    for (String name : List.of("tcp", "udp", "sctp")) {
      if (item.has(name) && Texts.protocol(name) == packet.protocol()) {
        return isPort(item.path(name).path("destinationPort"), packet.destinationPort());
      }
    }
    return false;
  }

  private static boolean isPort(JsonNode choice, int port) {
    if (choice.has("number")) {
      return choice.path("number").asInt() == port;
    }
    JsonNode range = choice.path("range");
    return range.isMissingNode()
        || (range.path("start").asInt() <= port && port <= range.path("end").asInt());
  }
}

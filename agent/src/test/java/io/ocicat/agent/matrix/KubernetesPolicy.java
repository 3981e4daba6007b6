package io.ocicat.agent.matrix;

import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpAddress;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** A NetworkPolicy of Kubernetes. */
record KubernetesPolicy(Resource resource, List<KnownEndpoint> known) implements StoredPolicy {
  private static final double ORDER = 1000;

  private JsonNode spec() {
    return Documents.spec(resource);
  }

  @Override
  public String tier() {
    return "default";
  }

  @Override
  public double order() {
    return ORDER;
  }

  @Override
  public String tieBreak() {
    return resource.key().name() + "/" + resource.key().namespace() + "/KubernetesNetworkPolicy";
  }

  @Override
  public boolean applies(KnownEndpoint endpoint, Flow direction) {
    List<String> types = Texts.list(spec().path("policyTypes"));
    boolean typed = types.isEmpty() ? direction == Flow.INGRESS : types.contains(direction.type);
    return typed
        && endpoint.isPod()
        && endpoint.namespace().equals(resource.key().namespace())
        && new LabelSelector(spec().path("podSelector")).matches(endpoint.labels());
  }

  @Override
  public Verdict decide(Packet packet, Flow direction) {
    IpAddress peer = direction == Flow.INGRESS ? packet.source() : packet.destination();
    String peers = direction == Flow.INGRESS ? "from" : "to";
    for (JsonNode rule : spec().path(direction.member).values()) {
      JsonNode listed = rule.path(peers);
      if ((listed.isEmpty() || listed.values().stream().anyMatch(it -> isPeer(it, peer)))
          && matchesPorts(rule.path("ports"), packet)) {
        return Verdict.ALLOW;
      }
    }
    return Verdict.NONE;
  }

  private boolean isPeer(JsonNode peer, IpAddress address) {
    JsonNode block = peer.path("ipBlock");
    if (!block.isMissingNode()) {
      return Texts.prefix(block.path("cidr").asString("")).contains(address)
          && Texts.list(block.path("except")).stream()
              .map(Texts::prefix)
              .noneMatch(except -> except.contains(address));
    }
    JsonNode pods = peer.path("podSelector");
    JsonNode namespaces = peer.path("namespaceSelector");
    return known.stream()
        .filter(endpoint -> endpoint.isPod() && endpoint.has(address))
        .filter(
            endpoint ->
                namespaces.isMissingNode()
                    ? endpoint.namespace().equals(resource.key().namespace())
                    : new LabelSelector(namespaces).matches(endpoint.namespaceLabels()))
        .anyMatch(endpoint -> new LabelSelector(pods).matches(endpoint.labels()));
  }

  private boolean matchesPorts(JsonNode ports, Packet packet) {
    return ports.isEmpty() || ports.values().stream().anyMatch(port -> isPort(port, packet));
  }

  private boolean isPort(JsonNode item, Packet packet) {
    int protocol = Texts.protocol(item.path("protocol").asString("TCP"));
    if (protocol != packet.protocol()) {
      return false;
    }
    JsonNode port = item.path("port");
    if (port.isMissingNode()) {
      return true;
    }
    if (port.isString()) {
      return known.stream()
          .filter(endpoint -> endpoint.has(packet.destination()))
          .anyMatch(
              endpoint ->
                  endpoint.declares(port.stringValue(), protocol, packet.destinationPort()));
    }
    int first = port.asInt();
    int last = item.path("endPort").asInt(first);
    return first <= packet.destinationPort() && packet.destinationPort() <= last;
  }
}

package io.ocicat.agent.matrix;

import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.selector.Selector;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** A Calico NetworkPolicy or GlobalNetworkPolicy. */
record CalicoPolicy(Resource resource, List<KnownEndpoint> known) implements StoredPolicy {
  private JsonNode spec() {
    return Documents.spec(resource);
  }

  @Override
  public String tier() {
    String tier = spec().path("tier").asString("");
    return tier.isEmpty() ? "default" : tier;
  }

  @Override
  public double order() {
    JsonNode order = spec().path("order");
    return order.isNumber() ? order.asDouble() : Double.POSITIVE_INFINITY;
  }

  @Override
  public String tieBreak() {
    String name = resource.key().name();
    String plain =
        tier().equals("default") && name.startsWith("default.")
            ? name.substring("default.".length())
            : name;
    return plain + "/" + resource.key().namespace() + "/" + resource.kind();
  }

  @Override
  public boolean applies(KnownEndpoint endpoint, Flow direction) {
    return hasType(direction)
        && isEnforcedBy(endpoint)
        && Selector.parse(spec().path("selector").asString("")).matches(endpoint.labels())
        && inNamespace(endpoint)
        && isAccount(endpoint);
  }

  private boolean hasType(Flow direction) {
    List<String> types = Texts.list(spec().path("types"));
    if (!types.isEmpty()) {
      return types.contains(direction.type);
    }
    boolean ingress = !spec().path(Flow.INGRESS.member).isEmpty();
    boolean egress = !spec().path(Flow.EGRESS.member).isEmpty();
    return direction == Flow.EGRESS ? egress : ingress || !egress;
  }

  private boolean isEnforcedBy(KnownEndpoint endpoint) {
    boolean early =
        spec().path("preDNAT").asBoolean(false) || spec().path("doNotTrack").asBoolean(false);
    return switch (endpoint.type()) {
      case WORKLOAD, HOST -> !early;
      case NETWORK_SET -> false;
    };
  }

  private boolean inNamespace(KnownEndpoint endpoint) {
    if (resource.kind() == Kind.NETWORK_POLICY) {
      return endpoint.namespace().equals(resource.key().namespace());
    }
    String selector = spec().path("namespaceSelector").asString("");
    return selector.isEmpty() || CalicoRule.selectsNamespace(selector, endpoint);
  }

  private boolean isAccount(KnownEndpoint endpoint) {
    String selector = spec().path("serviceAccountSelector").asString("");
    if (selector.isEmpty()) {
      return true;
    }
    Map<String, String> labels = new TreeMap<>(endpoint.accountLabels());
    String account = endpoint.labels().get(KnownEndpoint.ACCOUNT_LABEL);
    if (account != null) {
      labels.put(KnownEndpoint.ACCOUNT_LABEL, account);
    }
    String text = selector.replace("all()", "has(" + KnownEndpoint.ACCOUNT_LABEL + ")");
    return Selector.parse(text).matches(labels);
  }

  @Override
  public Verdict decide(Packet packet, Flow direction) {
    return CalicoRule.decide(
        spec().path(direction.member), resource.key().namespace(), known, packet);
  }

  @Override
  public boolean appliesOnForward() {
    return spec().path("applyOnForward").asBoolean(false);
  }
}

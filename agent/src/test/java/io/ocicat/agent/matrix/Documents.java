package io.ocicat.agent.matrix;

import io.ocicat.agent.matrix.KnownEndpoint.NamedPort;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The stored documents, as far as several parts of the oracle read them. */
final class Documents {
  private static final String NAMESPACE_PROFILE = "kns.";
  private static final String ACCOUNT_PROFILE = "ksa.";

  private final List<Resource> all;
  private final List<KnownEndpoint> endpoints = new ArrayList<>();

  Documents(List<Resource> all) {
    this.all = List.copyOf(all);
    of(Kind.WORKLOAD_ENDPOINT).forEach(this::addWorkload);
    of(Kind.HOST_ENDPOINT).forEach(this::addHost);
    of(Kind.NETWORK_SET).forEach(this::addNetworkSet);
    of(Kind.GLOBAL_NETWORK_SET).forEach(this::addNetworkSet);
  }

  List<Resource> of(Kind kind) {
    return all.stream().filter(resource -> resource.kind() == kind).toList();
  }

  /** Workloads, host endpoints and network sets. */
  List<KnownEndpoint> endpoints() {
    return endpoints;
  }

  /** The rules of a profile; empty when it does not exist. */
  Optional<JsonNode> profileRules(String name, Flow direction) {
    Optional<Resource> stored = find(Kind.PROFILE, name);
    if (stored.isPresent()) {
      return Optional.of(spec(stored.get()).path(direction.member));
    }
    if (name.startsWith(NAMESPACE_PROFILE)) {
      return Optional.of(Texts.yaml("[{action: Allow}]"));
    }
    return name.startsWith(ACCOUNT_PROFILE) ? Optional.of(Texts.yaml("[]")) : Optional.empty();
  }

  private Map<String, String> profileLabels(String name) {
    Optional<Resource> stored = find(Kind.PROFILE, name);
    Map<String, String> labels = new HashMap<>();
    if (stored.isPresent()) {
      spec(stored.get())
          .path("labelsToApply")
          .forEachEntry((label, value) -> labels.put(label, value.asString("")));
    } else if (name.startsWith(NAMESPACE_PROFILE)) {
      String namespace = name.substring(NAMESPACE_PROFILE.length());
      labels.put("pcns.projectcalico.org/name", namespace);
      labels.put("pcns.kubernetes.io/metadata.name", namespace);
      find(Kind.NAMESPACE, namespace)
          .ifPresent(
              it -> it.labels().forEach((label, value) -> labels.put("pcns." + label, value)));
    }
    return labels;
  }

  private Optional<Resource> find(Kind kind, String name) {
    return of(kind).stream().filter(resource -> resource.key().name().equals(name)).findFirst();
  }

  private void addWorkload(Resource resource) {
    JsonNode spec = spec(resource);
    List<String> profiles = Texts.list(spec.path("profiles"));
    endpoints.add(
        new KnownEndpoint(
            KnownEndpoint.Type.WORKLOAD,
            resource.key().name(),
            inherited(resource.labels(), profiles),
            prefixes(spec.path("ipNetworks")),
            ports(spec.path("ports")),
            profiles,
            spec.path("node").asString(""),
            spec.path("interfaceName").asString("")));
  }

  private void addHost(Resource resource) {
    JsonNode spec = spec(resource);
    List<String> profiles = Texts.list(spec.path("profiles"));
    endpoints.add(
        new KnownEndpoint(
            KnownEndpoint.Type.HOST,
            resource.key().name(),
            inherited(resource.labels(), profiles),
            prefixes(spec.path("expectedIPs")),
            ports(spec.path("ports")),
            profiles,
            spec.path("node").asString(""),
            spec.path("interfaceName").asString("")));
  }

  /** A set in a namespace inherits that namespace's labels, as a workload does. */
  private void addNetworkSet(Resource resource) {
    String namespace = resource.key().namespace();
    Map<String, String> own = new HashMap<>(resource.labels());
    List<String> profiles = new ArrayList<>();
    if (!namespace.isEmpty()) {
      own.put(KnownEndpoint.NAMESPACE_LABEL, namespace);
      profiles.add(NAMESPACE_PROFILE + namespace);
    }
    endpoints.add(
        new KnownEndpoint(
            KnownEndpoint.Type.NETWORK_SET,
            resource.key().name(),
            inherited(own, profiles),
            prefixes(spec(resource).path("nets")),
            List.of(),
            profiles,
            "",
            ""));
  }

  private Map<String, String> inherited(Map<String, String> own, List<String> profiles) {
    return KnownEndpoint.inherit(own, profiles.stream().map(this::profileLabels));
  }

  static JsonNode spec(Resource resource) {
    return resource.<JsonNode>read((ObjectNode document) -> document.path("spec"));
  }

  private static List<IpPrefix> prefixes(JsonNode list) {
    return Texts.list(list).stream().map(Texts::prefix).toList();
  }

  private static List<NamedPort> ports(JsonNode list) {
    List<NamedPort> ports = new ArrayList<>();
    for (JsonNode port : list.values()) {
      ports.add(
          new NamedPort(
              port.path("name").asString(""),
              Texts.protocol(port.path("protocol").asString("").toUpperCase(Locale.ROOT)),
              port.path("port").asInt(0)));
    }
    return ports;
  }
}

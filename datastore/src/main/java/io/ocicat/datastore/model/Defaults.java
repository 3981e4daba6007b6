package io.ocicat.datastore.model;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Fills in Calico's defaults. In an invalid document, as far as possible. */
final class Defaults {
  static final String LABEL_NAMESPACE = "projectcalico.org/namespace";
  static final String LABEL_ORCHESTRATOR = "projectcalico.org/orchestrator";
  static final String LABEL_TIER = "projectcalico.org/tier";

  private Defaults() {}

  static void apply(ResourceKey key, ObjectNode document) {
    if (key.kind() == Kind.ENDPOINT_SLICE) {
      fill(Shapes.of(key.kind()), document);
      return;
    }
    if (!document.has("spec")) {
      document.set("spec", Json.object());
    }
    if (!(document.get("spec") instanceof ObjectNode spec)
        || !(document.get("metadata") instanceof ObjectNode metadata)) {
      return;
    }
    switch (key.kind()) {
      case IP_POOL -> pool(spec);
      case WORKLOAD_ENDPOINT -> endpoint(key, metadata, spec);
      case NETWORK_POLICY, GLOBAL_NETWORK_POLICY -> policy(metadata, spec);
      case STAGED_NETWORK_POLICY, STAGED_GLOBAL_NETWORK_POLICY -> staged(metadata, spec);
      case TIER -> TierFields.complete(spec);
      case KUBERNETES_NETWORK_POLICY -> KubernetesPolicyFields.complete(spec);
      case FELIX_CONFIGURATION -> FelixConfigurationFields.complete(spec);
      case KUBE_CONTROLLERS_CONFIGURATION -> KubeControllersFields.complete(spec);
      default -> {}
    }
    fill(Shapes.of(key.kind()), document);
  }

  /** Fills in the default values of fields. */
  private static void fill(Shape shape, JsonNode value) {
    switch (shape) {
      case Shape.Struct struct when value instanceof ObjectNode object -> {
        for (Shape.Member member : struct.members()) {
          JsonNode given = object.path(member.name());
          boolean absent =
              given.isMissingNode()
                  || given.isNull()
                  || (member.presence() != Shape.Presence.IF_PRESENT && isEmptyText(given));
          if (member.initial() != null && absent) {
            object.set(member.name(), member.initial());
          }
          fill(member.shape(), object.path(member.name()));
        }
      }
      case Shape.ListOf list when value.isArray() ->
          value.values().forEach(item -> fill(list.item(), item));
      case Shape.Struct _, Shape.ListOf _, Shape.MapOf _, Shape.Leaf _, Shape.Anything _ -> {}
    }
  }

  /** Removing host bits from the network is a default too: 10.65.0.7 alone becomes 10.65.0.7/32. */
  private static void pool(ObjectNode spec) {
    String text = spec.path("cidr").asString("");
    Optional<IpPrefix> cidr = IpPrefix.tryParse(text.contains("/") ? text : text + "/0");
    if (cidr.isEmpty()) {
      return;
    }
    boolean v4 = cidr.get().isV4();
    if (!text.contains("/")) {
      spec.put("cidr", IpPrefix.host(cidr.get().address()).toString());
    } else if (cidr.get().isNetwork()) {
      spec.put("cidr", cidr.get().toString());
    }
    fill(spec, "vxlanMode", "Never");
    fill(spec, "ipipMode", "Never");
    JsonNode size = spec.path("blockSize");
    if (size.isMissingNode() || size.isNull() || (size.isNumber() && CanonicalForm.isEmpty(size))) {
      spec.put("blockSize", v4 ? 26 : 122);
    }
    if (isNothing(spec.path("allowedUses"))) {
      spec.putArray("allowedUses").add("Workload").add("Tunnel");
    }
  }

  /** These two labels follow from the endpoint, whatever its author wrote. */
  private static void endpoint(ResourceKey key, ObjectNode metadata, ObjectNode spec) {
    ObjectNode labels = labels(metadata);
    labels.put(LABEL_NAMESPACE, key.namespace());
    labels.put(LABEL_ORCHESTRATOR, spec.path("orchestrator").asString(""));
  }

  /** A staged deletion has no derived fields. */
  private static void staged(ObjectNode metadata, ObjectNode spec) {
    policy(metadata, spec);
    if (spec.path("stagedAction").asString("").equals("Delete")) {
      spec.remove("types");
    }
  }

  private static void policy(ObjectNode metadata, ObjectNode spec) {
    if (isNothing(spec.path("types"))) {
      ArrayNode types = spec.putArray("types");
      boolean egress = !spec.path("egress").isEmpty();
      if (!egress || !spec.path("ingress").isEmpty()) {
        types.add("Ingress");
      }
      if (egress) {
        types.add("Egress");
      }
    }
    String tier = spec.path("tier").asString("");
    labels(metadata).put(LABEL_TIER, tier.isEmpty() ? "default" : tier);
  }

  private static ObjectNode labels(ObjectNode metadata) {
    return metadata.get("labels") instanceof ObjectNode labels
        ? labels
        : metadata.putObject("labels");
  }

  private static void fill(ObjectNode spec, String name, String value) {
    JsonNode given = spec.path(name);
    if (given.isMissingNode() || given.isNull() || isEmptyText(given)) {
      spec.put(name, value);
    }
  }

  private static boolean isEmptyText(JsonNode value) {
    return value.isString() && value.stringValue().isEmpty();
  }

  private static boolean isNothing(JsonNode list) {
    return list.isMissingNode() || list.isNull() || (list.isArray() && list.isEmpty());
  }
}

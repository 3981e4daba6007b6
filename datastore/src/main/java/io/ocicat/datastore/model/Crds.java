package io.ocicat.datastore.model;

import io.ocicat.datastore.Kind;
import io.ocicat.datastore.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.node.ObjectNode;

/** The custom resource definitions that the Kubernetes datastore needs, from our own shapes. */
public final class Crds {
  private static final String KIND = "CustomResourceDefinition";

  /** What Calico's programs look for and nothing here works with. */
  private static final List<Names> OTHERS =
      List.of(
          new Names("CalicoNodeStatus", "caliconodestatuses", false),
          new Names("StagedGlobalNetworkPolicy", "stagedglobalnetworkpolicies", false),
          new Names("StagedKubernetesNetworkPolicy", "stagedkubernetesnetworkpolicies", true),
          new Names("StagedNetworkPolicy", "stagednetworkpolicies", true));

  private record Names(String kind, String plural, boolean namespaced) {}

  private Crds() {}

  /** All of a group, by name. */
  public static List<ObjectNode> of(ApiGroup group) {
    List<ObjectNode> definitions = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      if (isCustom(kind) && group.backing(kind) == kind) {
        definitions.add(
            definition(
                group,
                new Names(kind.text(), kind.plural(), kind.isNamespaced()),
                properties(kind, group)));
      }
    }
    for (Names other : OTHERS) {
      definitions.add(definition(group, other, specOf(new Shape.Anything())));
    }
    definitions.sort(
        (a, b) ->
            a.at("/metadata/name").stringValue().compareTo(b.at("/metadata/name").stringValue()));
    return definitions;
  }

  /** Pods, namespaces and nodes are Kubernetes' own; etcd alone knows hosts of IPAM. */
  private static boolean isCustom(Kind kind) {
    return switch (kind) {
      case WORKLOAD_ENDPOINT, PROFILE, NODE, IPAM_HOST -> false;
      default -> true;
    };
  }

  private static ObjectNode definition(ApiGroup group, Names names, ObjectNode properties) {
    ObjectNode definition =
        Json.object().put("apiVersion", "apiextensions.k8s.io/v1").put("kind", KIND);
    definition.putObject("metadata").put("name", names.plural() + "." + group.group());
    ObjectNode spec = definition.putObject("spec").put("group", group.group());
    spec.putObject("names")
        .put("kind", names.kind())
        .put("listKind", names.kind() + "List")
        .put("plural", names.plural())
        .put("singular", names.kind().toLowerCase(Locale.ROOT));
    spec.put("preserveUnknownFields", false);
    spec.put("scope", names.namespaced() ? "Namespaced" : "Cluster");
    ObjectNode version =
        spec.putArray("versions")
            .addObject()
            .put("name", group.version())
            .put("served", true)
            .put("storage", true);
    ObjectNode schema = version.putObject("schema").putObject("openAPIV3Schema");
    schema.put("type", "object");
    ObjectNode all = schema.putObject("properties");
    for (String common : List.of("apiVersion", "kind")) {
      all.putObject(common).put("type", "string");
    }
    all.putObject("metadata").put("type", "object");
    all.setAll(properties);
    return definition;
  }

  private static ObjectNode specOf(Shape spec) {
    ObjectNode properties = Json.object();
    properties.set("spec", Schema.of(spec));
    return properties;
  }

  /** Everything of a document but kind, version and metadata. */
  private static ObjectNode properties(Kind kind, ApiGroup group) {
    if (kind.isIpam()) {
      return specOf(CustomIpamShapes.of(kind, group));
    }
    ObjectNode properties = Json.object();
    for (Shape.Member member : Shapes.of(kind).members()) {
      switch (member.name()) {
        case "kind", "apiVersion", "metadata" -> {}
        default -> properties.set(member.name(), Schema.of(member.shape()));
      }
    }
    return properties;
  }
}

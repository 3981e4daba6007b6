package io.ocicat.datastore.model;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.resource.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.node.ObjectNode;

/** Generates the custom resource definitions of the Kubernetes datastore from the shapes. */
public final class Crds {
  private static final String KIND = "CustomResourceDefinition";

  private Crds() {}

  /** Returns all definitions of a group, by name. */
  public static List<ObjectNode> of(ApiGroup group) {
    List<ObjectNode> definitions = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      if (isCustom(kind) && group.backing(kind) == kind) {
        definitions.add(definition(group, kind));
      }
    }
    definitions.sort(
        (a, b) ->
            a.at("/metadata/name").stringValue().compareTo(b.at("/metadata/name").stringValue()));
    return definitions;
  }

  /** Pods and nodes are Kubernetes' own; only etcd has IPAM hosts. */
  private static boolean isCustom(Kind kind) {
    return switch (kind) {
      case WORKLOAD_ENDPOINT, PROFILE, NODE, IPAM_HOST -> false;
      default -> !kind.isOfKubernetes();
    };
  }

  private static ObjectNode definition(ApiGroup group, Kind kind) {
    ObjectNode definition =
        Json.object().put("apiVersion", "apiextensions.k8s.io/v1").put("kind", KIND);
    definition.putObject("metadata").put("name", kind.plural() + "." + group.group());
    ObjectNode spec = definition.putObject("spec").put("group", group.group());
    CrdColumns shown = CrdColumns.of(kind);
    ObjectNode names =
        spec.putObject("names")
            .put("kind", kind.text())
            .put("listKind", kind.text() + "List")
            .put("plural", kind.plural())
            .put("singular", kind.text().toLowerCase(Locale.ROOT));
    if (!shown.shortNames().isEmpty()) {
      shown.shortNames().forEach(names.putArray("shortNames")::add);
    }
    spec.put("preserveUnknownFields", false);
    spec.put("scope", kind.isNamespaced() ? "Namespaced" : "Cluster");
    ObjectNode version =
        spec.putArray("versions")
            .addObject()
            .put("name", group.version())
            .put("served", true)
            .put("storage", true);
    columns(shown, version);
    ObjectNode schema = version.putObject("schema").putObject("openAPIV3Schema");
    schema.put("type", "object");
    ObjectNode all = schema.putObject("properties");
    for (String common : List.of("apiVersion", "kind")) {
      all.putObject(common).put("type", "string");
    }
    all.putObject("metadata").put("type", "object");
    all.setAll(properties(kind, group));
    if (!kind.isIpam()) {
      CelRule.describe(Shapes.of(kind), schema);
    }
    return definition;
  }

  private static void columns(CrdColumns shown, ObjectNode version) {
    if (shown.columns().isEmpty()) {
      return;
    }
    var columns = version.putArray("additionalPrinterColumns");
    for (CrdColumns.Column column : shown.columns()) {
      columns
          .addObject()
          .put("name", column.name())
          .put("type", column.type())
          .put("jsonPath", column.path());
    }
  }

  /** Everything of a document except kind, version and metadata. */
  private static ObjectNode properties(Kind kind, ApiGroup group) {
    if (kind.isIpam()) {
      ObjectNode record = Json.object();
      record.set(
          "spec",
          Schema.of(Shape.field("spec", "A record of IPAM.", CustomIpamShapes.of(kind, group))));
      return record;
    }
    ObjectNode properties = Json.object();
    for (Shape.Member member : Shapes.of(kind).members()) {
      switch (member.name()) {
        case "kind", "apiVersion", "metadata" -> {}
        default -> properties.set(member.name(), Schema.of(member));
      }
    }
    return properties;
  }
}

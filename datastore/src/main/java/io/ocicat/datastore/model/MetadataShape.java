package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.flag;
import static io.ocicat.datastore.model.Shape.structs;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;
import static io.ocicat.datastore.model.Shape.whole;

import io.ocicat.base.json.Problems;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The shape of Kubernetes' ObjectMeta, and of the document around it. */
final class MetadataShape {
  private static final int MAX_ANNOTATIONS = 256 << 10;

  private static final Shape.Struct OWNER =
      new Shape.Struct(
          text("apiVersion", "The owner's version.").always(),
          text("kind", "The owner's kind.").always(),
          text("name", "The owner's name.").always(),
          text("uid", "The owner's uid.").always(),
          flag("controller", "Whether it manages this object.").ifPresent(),
          flag("blockOwnerDeletion", "Whether the owner waits for this object.").ifPresent());

  private static final Shape.Struct METADATA =
      new Shape.Struct(
              text("name", "The name."),
              text("generateName", "The prefix of a generated name."),
              text("namespace", "The namespace.").is(ValueRules.NAME),
              text("uid", "The unique id of the object."),
              whole("generation", "The generation of the spec.", 0, Long.MAX_VALUE),
              text("creationTimestamp", "When it was created.").orNull(),
              text("deletionTimestamp", "When deletion was requested.").ifPresent(),
              whole(
                      "deletionGracePeriodSeconds",
                      "The grace period of the deletion.",
                      0,
                      Long.MAX_VALUE)
                  .ifPresent(),
              field("labels", "Labels, for selectors.", ValueRules.LABELS),
              field("annotations", "Annotations, for programs.", ValueRules.ANNOTATIONS),
              structs("ownerReferences", "The owners of the object.", OWNER),
              texts("finalizers", "Finalizers that block the deletion."),
              field(
                  "managedFields",
                  "The managers of fields.",
                  new Shape.ListOf(new Shape.Anything())))
          .where("Annotations have at most 256 KiB.", MetadataShape::check);

  /** The conditions of a status, as in Kubernetes. */
  static final Shape.Struct CONDITIONS =
      new Shape.Struct(
          structs(
              "conditions",
              "The conditions.",
              new Shape.Struct(
                  text("type", "The type of the condition.").always(),
                  text("status", "Whether it holds: True, False or Unknown.").always(),
                  whole("observedGeneration", "The observed generation.", 0, Long.MAX_VALUE),
                  text("lastTransitionTime", "The time of the last change.").orNull(),
                  text("reason", "Why, for programs.").always(),
                  text("message", "Why, for people.").always())));

  private MetadataShape() {}

  /** A document with this spec. */
  static Shape.Struct document(String description, Shape.Struct spec) {
    return document(field("spec", description, spec).always());
  }

  static Shape.Struct document(Shape.Member... rest) {
    Shape.Member[] members = new Shape.Member[rest.length + 3];
    members[0] = text("kind", "The kind of the resource.").always();
    members[1] = text("apiVersion", "The version of the kind.").always();
    members[2] = field("metadata", "Kubernetes' metadata.", METADATA).always();
    System.arraycopy(rest, 0, members, 3, rest.length);
    return new Shape.Struct(members);
  }

  private static void check(ObjectNode metadata, String path, Problems problems) {
    long size = 0;
    for (Map.Entry<String, JsonNode> entry : metadata.path("annotations").properties()) {
      size += bytes(entry.getKey()) + bytes(entry.getValue().stringValue());
    }
    if (size > MAX_ANNOTATIONS) {
      problems.add(
          path + ".annotations",
          "must have at most %d bytes in all, not %d".formatted(MAX_ANNOTATIONS, size));
    }
  }

  private static long bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}

package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;
import static io.ocicat.datastore.model.Shape.whole;

import io.ocicat.datastore.json.Problems;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Kubernetes' ObjectMeta, and the document around it. */
final class MetadataShape {
  private static final int MAX_ANNOTATIONS = 256 << 10;

  private static final Shape.Struct METADATA =
      new Shape.Struct(
              text("name", Rules.ANY),
              text("generateName"),
              text("namespace", Rules.NAME),
              text("uid"),
              whole("generation", 0, Long.MAX_VALUE),
              field("creationTimestamp", new Shape.Anything()).always(),
              field("deletionTimestamp", new Shape.Anything()).ifPresent(),
              whole("deletionGracePeriodSeconds", 0, Long.MAX_VALUE).ifPresent(),
              field("labels", Rules.LABELS),
              field("annotations", Rules.ANNOTATIONS),
              field("ownerReferences", new Shape.ListOf(new Shape.Anything())),
              texts("finalizers"),
              field("managedFields", new Shape.ListOf(new Shape.Anything())))
          .where(MetadataShape::check);

  private MetadataShape() {}

  /** A document with this spec. */
  static Shape.Struct document(Shape.Struct spec) {
    return document(field("spec", spec).always());
  }

  static Shape.Struct document(Shape.Member... rest) {
    Shape.Member[] members = new Shape.Member[rest.length + 3];
    members[0] = text("kind").always();
    members[1] = text("apiVersion").always();
    members[2] = field("metadata", METADATA).always();
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

package io.ocicat.image.manifest;

import io.ocicat.base.json.JsonFields;
import io.ocicat.image.Digest;
import java.util.Map;
import java.util.TreeMap;

/** A reference to a blob (OCI image specification, descriptor.md). */
public record Descriptor(
    String mediaType, Digest digest, long size, Map<String, String> annotations) {
  private static final Digest PLACEHOLDER = new Digest("0".repeat(64));

  public Descriptor {
    annotations = Map.copyOf(annotations);
  }

  static Descriptor read(JsonFields in) {
    return new Descriptor(
        in.text("mediaType").or(""),
        in.text("digest").map(Digest::parse, PLACEHOLDER).required(),
        in.longInteger("size", 0, Long.MAX_VALUE).required(),
        texts(in.object("annotations")));
  }

  static Map<String, String> texts(JsonFields in) {
    Map<String, String> texts = new TreeMap<>();
    for (String name : in.names()) {
      texts.put(name, in.text(name).or(""));
    }
    return texts;
  }
}

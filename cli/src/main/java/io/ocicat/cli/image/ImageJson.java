package io.ocicat.cli.image;

import io.ocicat.base.json.Json;
import io.ocicat.image.Digest;
import io.ocicat.image.Image;
import tools.jackson.databind.node.ObjectNode;

/** An image as commands print it. */
final class ImageJson {
  private ImageJson() {}

  static ObjectNode of(Image image) {
    ObjectNode json = Json.object().put("id", image.id().toString());
    json.set("repoTags", Json.array(image.repoTags()));
    json.set("repoDigests", Json.array(image.repoDigests()));
    json.put("size", image.size());
    json.put("platform", image.platform().toString());
    json.put("created", image.created());
    json.put("user", image.config().user());
    json.set("entrypoint", Json.array(image.config().entrypoint()));
    json.set("cmd", Json.array(image.config().cmd()));
    json.set("env", Json.array(image.config().env()));
    json.set("layers", Json.array(image.diffIds().stream().map(Digest::toString).toList()));
    return json;
  }

  /** The first name, or what comes closest to one. */
  static String name(Image image) {
    if (!image.repoTags().isEmpty()) {
      return image.repoTags().getFirst();
    }
    return image.repoDigests().isEmpty() ? image.id().toString() : image.repoDigests().getFirst();
  }
}

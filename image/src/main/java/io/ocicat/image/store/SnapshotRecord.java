package io.ocicat.image.store;

import io.ocicat.base.json.Json;
import io.ocicat.image.Digest;
import io.ocicat.image.manifest.Manifest;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is known of a snapshot before anything of it exists, and until everything of it is gone.
 *
 * @param copied whether its layers are copied rather than mounted
 */
record SnapshotRecord(Digest image, List<Digest> chainIds, boolean copied) {
  SnapshotRecord {
    chainIds = List.copyOf(chainIds);
  }

  byte[] json() {
    ObjectNode json = Json.object().put("image", image.toString());
    json.set("layers", Json.array(chainIds.stream().map(Digest::toString).toList()));
    return Json.compactBytes(json.put("copied", copied));
  }

  static SnapshotRecord parse(byte[] bytes, String what) {
    return Manifest.document(
        bytes,
        what,
        in ->
            new SnapshotRecord(
                Digest.parse(in.text("image").required()),
                in.texts("layers").or(List.of()).stream().map(Digest::parse).toList(),
                in.bool("copied").or(false)));
  }
}

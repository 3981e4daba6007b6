package io.ocicat.agent.flannel;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.ip.MacAddress;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What the vxlan back end publishes of a node's device. */
record VtepData(int vni, MacAddress mac) {
  /** Empty when it is not what the vxlan back end writes. */
  static Optional<VtepData> read(JsonNode json) {
    if (!(json instanceof ObjectNode object)) {
      return Optional.empty();
    }
    JsonFields in = JsonFields.of(object);
    VtepData data =
        new VtepData(in.integer("VNI", 0, (1 << 24) - 1).or(1), in.mac("VtepMAC").required());
    return in.problems().isEmpty() ? Optional.of(data) : Optional.empty();
  }

  String text() {
    return Json.compact(json());
  }

  ObjectNode json() {
    return Json.object().put("VNI", vni).put("VtepMAC", mac.toString());
  }
}

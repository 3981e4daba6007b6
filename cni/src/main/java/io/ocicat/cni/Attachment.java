package io.ocicat.cni;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import tools.jackson.databind.node.ObjectNode;

/**
 * A container's interface on a network, in the form in which GC lists valid attachments. The JSON
 * names are containerID and ifname, unlike in the result cache.
 */
public record Attachment(String containerId, String ifName) {
  public static Attachment read(JsonFields in) {
    return new Attachment(in.text("containerID").required(), in.text("ifname").required());
  }

  public ObjectNode toJson() {
    return Json.object().put("containerID", containerId).put("ifname", ifName);
  }
}

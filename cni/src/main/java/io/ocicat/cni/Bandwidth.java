package io.ocicat.cni;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import tools.jackson.databind.node.ObjectNode;

/**
 * The bandwidth capability: rates in bit/s, bursts in bits, seen from the container; 0 is no limit.
 */
public record Bandwidth(long ingressRate, long ingressBurst, long egressRate, long egressBurst) {
  public static Bandwidth read(JsonFields in) {
    return new Bandwidth(
        in.longInteger("ingressRate", 0, Long.MAX_VALUE).or(0L),
        in.longInteger("ingressBurst", 0, Long.MAX_VALUE).or(0L),
        in.longInteger("egressRate", 0, Long.MAX_VALUE).or(0L),
        in.longInteger("egressBurst", 0, Long.MAX_VALUE).or(0L));
  }

  public ObjectNode toJson() {
    return Json.object()
        .put("ingressRate", ingressRate)
        .put("ingressBurst", ingressBurst)
        .put("egressRate", egressRate)
        .put("egressBurst", egressBurst);
  }
}

package io.ocicat.ipamserver;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The addresses of one attachment.
 *
 * @param request {@link AllocationRequest#canonical()} of the request that created it
 * @param answer addresses, routes and dns as they were then: a replay must return the same
 * @param expiresAt null for an allocation without a lease
 */
record Allocation(
    long id,
    AllocationKey key,
    String node,
    String pool,
    String request,
    String answer,
    long leaseSeconds,
    Instant createdAt,
    @Nullable Instant expiresAt) {
  private static final String PREFIX = "a-";

  /** Returns the number in an id as clients see it, or -1 for an invalid id. */
  static long parseId(String id) {
    try {
      return id.startsWith(PREFIX) && id.length() <= 20
          ? Long.parseLong(id.substring(PREFIX.length()))
          : -1;
    } catch (NumberFormatException _) {
      return -1;
    }
  }

  static String idText(long id) {
    return PREFIX + id;
  }

  String idText() {
    return idText(id);
  }

  Allocation renewed(long newLeaseSeconds, @Nullable Instant newExpiresAt) {
    return new Allocation(
        id, key, node, pool, request, answer, newLeaseSeconds, createdAt, newExpiresAt);
  }

  ObjectNode toJson() {
    ObjectNode json =
        Json.object()
            .put("id", idText())
            .put("network", key.network())
            .put("containerId", key.containerId())
            .put("ifName", key.ifName())
            .put("node", node)
            .put("pool", pool);
    json.set("pod", AllocationRequest.podOf(request));
    json.setAll((ObjectNode) CniJson.parse(answer));
    json.put("leaseSeconds", leaseSeconds);
    json.put("expiresAt", expiresAt == null ? null : expiresAt.toString());
    json.put("createdAt", createdAt.toString());
    return json;
  }
}

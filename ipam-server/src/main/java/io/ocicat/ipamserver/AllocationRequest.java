package io.ocicat.ipamserver;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonField;
import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonValue;
import io.ocicat.cni.CniJson;
import io.ocicat.ip.IpAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A client's request for addresses.
 *
 * @param pool null when the network decides
 * @param families empty when the pool decides
 * @param requestedIps addresses the client insists on, at most one of each family
 * @param leaseSeconds 0 for no lease
 */
record AllocationRequest(
    AllocationKey key,
    String node,
    @Nullable String pool,
    Set<AddressFamily> families,
    List<IpAddress> requestedIps,
    long leaseSeconds,
    Pod pod) {
  /** Ten years. */
  static final long MAX_LEASE_SECONDS = 315_360_000;

  /** The pod, for people who look for the owner of an address; empty texts when not given. */
  record Pod(String namespace, String name, String uid) {
    ObjectNode toJson() {
      return Json.object().put("namespace", namespace).put("name", name).put("uid", uid);
    }
  }

  AllocationRequest {
    families = Set.copyOf(families);
    requestedIps = List.copyOf(requestedIps);
  }

  /**
   * Reads the body of a request. Unknown members are ignored, so that clients may be newer.
   *
   * @throws ApiError 400 naming every bad member
   */
  static AllocationRequest read(ObjectNode body) {
    JsonFields in = JsonFields.of(body);
    String network = in.text("network").required();
    String containerId = in.text("containerId").required();
    String ifName = in.text("ifName").required();
    String node = label(in.text("node")).or("");
    String pool = label(in.text("pool")).check(name -> !name.isEmpty(), "is empty").orNull();
    Set<AddressFamily> families = new LinkedHashSet<>();
    for (JsonValue family : in.value("families").items()) {
      families.add(family.choice(AddressFamily.values(), AddressFamily::text).required());
    }
    List<IpAddress> ips =
        in.value("requestedIPs").items().stream().map(item -> item.ip().required()).toList();
    if (ips.stream().map(AddressFamily::of).distinct().count() != ips.size()) {
      in.problem("requestedIPs", "must not have more than one address of a family");
    }
    if (!families.isEmpty()
        && ips.stream().anyMatch(ip -> !families.contains(AddressFamily.of(ip)))) {
      in.problem("requestedIPs", "has an address whose family is not in families");
    }
    long lease = in.longInteger("leaseSeconds", 0, MAX_LEASE_SECONDS).or(0L);
    JsonFields pod = in.object("pod");
    Pod owner =
        new Pod(
            label(pod.text("namespace")).or(""),
            label(pod.text("name")).or(""),
            label(pod.text("uid")).or(""));
    if (!in.problems().isEmpty()) {
      throw ApiError.badRequest(in.problems().describe());
    }
    AllocationKey key = new AllocationKey(network, containerId, ifName);
    return new AllocationRequest(key, node, pool, families, ips, lease, owner);
  }

  /** Text that is only stored and listed. */
  static JsonField<String> label(JsonField<String> text) {
    return text.check(
        value ->
            value.length() <= AllocationKey.MAX_NAME
                && value.chars().noneMatch(Character::isISOControl),
        "must not have more than %d characters nor any control character"
            .formatted(AllocationKey.MAX_NAME));
  }

  /** Returns the same text for equal requests, however they were written. */
  String canonical() {
    ObjectNode json = Json.object().put("node", node).put("pool", pool);
    ArrayNode wanted = json.putArray("families");
    families.stream().sorted().map(AddressFamily::text).forEach(wanted::add);
    ArrayNode ips = json.putArray("requestedIPs");
    requestedIps.stream().sorted().map(IpAddress::toString).forEach(ips::add);
    json.put("leaseSeconds", leaseSeconds);
    json.set("pod", pod.toJson());
    return Json.compact(json);
  }

  /** Returns the pod of a request, read back from {@link #canonical()}. */
  static JsonNode podOf(String canonical) {
    return CniJson.parse(canonical).path("pod");
  }
}

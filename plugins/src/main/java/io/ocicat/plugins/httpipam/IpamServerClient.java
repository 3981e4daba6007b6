package io.ocicat.plugins.httpipam;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonValue;
import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.plugins.support.Undo;
import java.math.BigInteger;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The client of the IPAM server's protocol; error responses become CNI errors. */
record IpamServerClient(HttpIpamConf conf, HttpTransport wire) {
  private static final String ALLOCATIONS = "/v1/allocations";

  /** How full a pool is; the family is empty when the server does not distinguish them. */
  record Level(String name, String family, BigInteger capacity, BigInteger taken) {
    boolean isFull() {
      return taken.compareTo(capacity) >= 0;
    }
  }

  GrantedAddresses allocate(String network, Attachment attachment, ObjectNode request) {
    ServerResponse answer =
        wire.send(
            "POST", ALLOCATIONS, request, Map.of("Idempotency-Key", key(network, attachment)));
    requireSuccess(answer);
    try (Undo undo = new Undo()) {
      // An allocation whose response is invalid must not stay allocated.
      undo.onFailure(() -> release(network, attachment));
      return undo.keep(answer.read(in -> GrantedAddresses.read(in, network, attachment)));
    }
  }

  /** What does not exist is already released, and a later allocation is not ours to release. */
  void release(String network, Attachment attachment) {
    ServerResponse answer = wire.send("DELETE", path(network, attachment), null);
    if (answer.status() != 404) {
      requireSuccess(answer);
    }
  }

  Optional<GrantedAddresses> get(String network, Attachment attachment) {
    ServerResponse answer = wire.send("GET", path(network, attachment), null);
    if (answer.status() == 404) {
      return Optional.empty();
    }
    requireSuccess(answer);
    return Optional.of(answer.read(in -> GrantedAddresses.read(in, network, attachment)));
  }

  void renew(String id, long leaseSeconds) {
    ObjectNode lease = Json.object().put("leaseSeconds", leaseSeconds);
    requireSuccess(wire.send("POST", "%s/%s/renew".formatted(ALLOCATIONS, encode(id)), lease));
  }

  void collect(String network, Set<Attachment> valid) {
    ObjectNode request = Json.object().put("network", network).put("node", conf.node());
    ArrayNode list = request.putArray("valid");
    for (Attachment attachment : valid) {
      list.addObject()
          .put("containerId", attachment.containerId())
          .put("ifName", attachment.ifName());
    }
    requireSuccess(wire.send("POST", "/v1/gc", request));
  }

  List<Level> health() {
    ServerResponse answer = wire.send("GET", "/v1/health", null);
    requireSuccess(answer);
    return answer.read(
        in ->
            in.objects("pools").stream()
                .map(
                    pool ->
                        new Level(
                            pool.text("name").or(""),
                            pool.text("family").or(""),
                            number(pool.value("capacity"), BigInteger.ONE),
                            number(pool.value("used"), BigInteger.ZERO)
                                .add(number(pool.value("resting"), BigInteger.ZERO))))
                .toList());
  }

  /** Of any size: an IPv6 subnet has more addresses than 64 bits can count. */
  private static BigInteger number(JsonValue value, BigInteger fallback) {
    return value
        .raw()
        .filter(JsonNode::isIntegralNumber)
        .map(JsonNode::bigIntegerValue)
        .orElse(fallback);
  }

  private void requireSuccess(ServerResponse answer) {
    if (answer.isSuccess()) {
      return;
    }
    String what = "the IPAM server %s refuses".formatted(conf.server());
    if (answer.status() == 401 || answer.status() == 403) {
      throw conf.token().refused(what, answer.describe());
    }
    CniException refused =
        new CniException(
            code(answer), "%s: %s".formatted(what, answer.describe()), answer.request());
    throw switch (answer.code()) {
      case "exhausted" -> refused.because(FailureReason.ADDRESSES_EXHAUSTED);
      case "address_in_use" -> refused.because(FailureReason.ADDRESS_TAKEN);
      default -> refused;
    };
  }

  private static ErrorCode code(ServerResponse answer) {
    return switch (answer.code()) {
      case "exhausted" -> HttpIpamErrorCodes.EXHAUSTED;
      case "address_in_use" -> HttpIpamErrorCodes.ADDRESS_IN_USE;
      case "expired" -> HttpIpamErrorCodes.DRIFT;
      default ->
          answer.status() >= 500 && answer.isRetryable()
              ? ErrorCode.TRY_AGAIN_LATER
              : ErrorCode.INTERNAL;
    };
  }

  private static String path(String network, Attachment attachment) {
    return Stream.of(network, attachment.containerId(), attachment.ifName())
        .map(IpamServerClient::encode)
        .collect(Collectors.joining("/", ALLOCATIONS + "/", ""));
  }

  private static String encode(String segment) {
    return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static String key(String network, Attachment attachment) {
    String text = String.join("\0", network, attachment.containerId(), attachment.ifName());
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}

package io.ocicat.ipamserver;

import io.ocicat.cni.json.Json;
import tools.jackson.databind.node.ObjectNode;

/** An answer that is not what the client asked for: the protocol's error object and its status. */
final class Refusal extends IpamServerException {
  private static final long serialVersionUID = 1;

  private final int status;
  private final String code;
  private final boolean retryable;

  private Refusal(int status, String code, boolean retryable, String message) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryable = retryable;
  }

  static Refusal badRequest(String message) {
    return new Refusal(400, "bad_request", false, message);
  }

  static Refusal unauthorized(String message) {
    return new Refusal(401, "unauthorized", false, message);
  }

  static Refusal forbidden(String message) {
    return new Refusal(403, "forbidden", false, message);
  }

  static Refusal notFound(String message) {
    return new Refusal(404, "not_found", false, message);
  }

  /** The allocation that was meant has been followed by another one of the same attachment. */
  static Refusal stale(String message) {
    return new Refusal(404, "stale", false, message);
  }

  static Refusal methodNotAllowed(String message) {
    return new Refusal(405, "method_not_allowed", false, message);
  }

  static Refusal idempotencyMismatch(String message) {
    return new Refusal(409, "idempotency_mismatch", false, message);
  }

  /**
   * @param soon whether addresses only rest and will be free again without anybody's doing
   */
  static Refusal exhausted(String message, boolean soon) {
    return new Refusal(409, "exhausted", soon, message);
  }

  static Refusal addressInUse(String message) {
    return new Refusal(409, "address_in_use", false, message);
  }

  static Refusal expired(String message) {
    return new Refusal(410, "expired", false, message);
  }

  static Refusal tooLarge(String message) {
    return new Refusal(413, "too_large", false, message);
  }

  static Refusal unsupportedMediaType(String message) {
    return new Refusal(415, "unsupported_media_type", false, message);
  }

  static Refusal internal(String message) {
    return new Refusal(500, "internal", false, message);
  }

  static Refusal unavailable(String message) {
    return new Refusal(503, "unavailable", true, message);
  }

  int status() {
    return status;
  }

  String code() {
    return code;
  }

  ObjectNode toJson() {
    ObjectNode json = Json.object();
    json.putObject("error")
        .put("code", code)
        .put("message", String.valueOf(getMessage()))
        .put("retryable", retryable);
    return json;
  }
}

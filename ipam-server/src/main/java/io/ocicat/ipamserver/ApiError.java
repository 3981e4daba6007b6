package io.ocicat.ipamserver;

import io.ocicat.base.json.Json;
import tools.jackson.databind.node.ObjectNode;

/** An error response: the protocol's error object and its status. */
final class ApiError extends IpamServerException {
  private static final long serialVersionUID = 1;

  private final int status;
  private final String code;
  private final boolean retryable;

  private ApiError(int status, String code, boolean retryable, String message) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryable = retryable;
  }

  static ApiError badRequest(String message) {
    return new ApiError(400, "bad_request", false, message);
  }

  static ApiError unauthorized(String message) {
    return new ApiError(401, "unauthorized", false, message);
  }

  static ApiError forbidden(String message) {
    return new ApiError(403, "forbidden", false, message);
  }

  static ApiError notFound(String message) {
    return new ApiError(404, "not_found", false, message);
  }

  /** The allocation has been replaced by a newer one of the same attachment. */
  static ApiError stale(String message) {
    return new ApiError(404, "stale", false, message);
  }

  static ApiError methodNotAllowed(String message) {
    return new ApiError(405, "method_not_allowed", false, message);
  }

  static ApiError idempotencyMismatch(String message) {
    return new ApiError(409, "idempotency_mismatch", false, message);
  }

  /**
   * @param soon whether addresses are only held back and will become free by themselves
   */
  static ApiError exhausted(String message, boolean soon) {
    return new ApiError(409, "exhausted", soon, message);
  }

  static ApiError addressInUse(String message) {
    return new ApiError(409, "address_in_use", false, message);
  }

  static ApiError expired(String message) {
    return new ApiError(410, "expired", false, message);
  }

  static ApiError tooLarge(String message) {
    return new ApiError(413, "too_large", false, message);
  }

  static ApiError unsupportedMediaType(String message) {
    return new ApiError(415, "unsupported_media_type", false, message);
  }

  static ApiError internal(String message) {
    return new ApiError(500, "internal", false, message);
  }

  static ApiError unavailable(String message) {
    return new ApiError(503, "unavailable", true, message);
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

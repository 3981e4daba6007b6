package io.ocicat.cni;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonValue;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A CNI error, as the specification's error object: a code, a short message and details. The root
 * of this module's exceptions.
 */
public class CniException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int code;
  private final String msg;
  private final String details;
  private final @Nullable String cniVersion;
  private final @Nullable FailureReason reason;

  public CniException(ErrorCode code, String msg) {
    this(code, msg, "", null, null, null);
  }

  public CniException(ErrorCode code, String msg, String details) {
    this(code, msg, details, null, null, null);
  }

  public CniException(ErrorCode code, String msg, Throwable cause) {
    this(code, msg, "", null, null, cause);
  }

  CniException(ErrorCode code, String msg, String details, Throwable cause) {
    this(code, msg, details, null, null, cause);
  }

  /** The same error, caused by the other. */
  protected CniException(CniException other) {
    this(other.code(), other.msg, other.details, other.cniVersion, other.reason, other);
  }

  private CniException(
      ErrorCode code,
      String msg,
      String details,
      @Nullable String cniVersion,
      @Nullable FailureReason reason,
      @Nullable Throwable cause) {
    super(details.isEmpty() ? msg : msg + "; " + details, cause);
    this.code = code.value();
    this.msg = msg;
    this.details = details;
    this.cniVersion = cniVersion;
    this.reason = reason;
  }

  public final ErrorCode code() {
    return new ErrorCode(code);
  }

  public final boolean is(ErrorCode other) {
    return code == other.value();
  }

  public final String msg() {
    return msg;
  }

  /** Empty when there are none. */
  public final String details() {
    return details;
  }

  /** The version in the error object; most Go plugins set none. */
  public final Optional<String> cniVersion() {
    return Optional.ofNullable(cniVersion);
  }

  /** The same error with a reason. */
  public final CniException because(FailureReason why) {
    return new CniException(code(), msg, details, cniVersion, why, getCause());
  }

  /** Empty when no reason was given; always for an error that was parsed. */
  public final Optional<FailureReason> reason() {
    return Optional.ofNullable(reason);
  }

  /** The same error with {@code prefix} before its message and this one as its cause. */
  public final CniException prefixed(String prefix) {
    return new CniException(code(), prefix + msg, details, cniVersion, reason, this);
  }

  /** Reads an error object; missing members are 0 or empty, as in Go. */
  public static CniException fromJson(JsonNode json) {
    JsonFields in = JsonValue.of(json).object();
    CniException error =
        new CniException(
            new ErrorCode(in.integer("code", 0, Integer.MAX_VALUE).or(0)),
            in.text("msg").or(""),
            in.text("details").or(""),
            in.text("cniVersion").orNull(),
            null,
            null);
    if (!in.problems().isEmpty()) {
      throw new CniException(ErrorCode.DECODING_FAILURE, in.problems().describe());
    }
    return error;
  }

  /** The error object, with its version, if any. */
  public final ObjectNode toJson() {
    ObjectNode json = Json.object();
    if (cniVersion != null) {
      json.put("cniVersion", cniVersion);
    }
    json.put("code", code).put("msg", msg);
    if (!details.isEmpty()) {
      json.put("details", details);
    }
    return json;
  }

  /** This error as the response to a request of that version, with this one as its cause. */
  public final CniException answering(String requestVersion) {
    return new CniException(code(), msg, details, requestVersion, reason, this);
  }
}

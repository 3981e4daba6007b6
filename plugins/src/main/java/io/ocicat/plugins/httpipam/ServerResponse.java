package io.ocicat.plugins.httpipam;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonValue;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import java.time.Duration;
import java.util.function.Function;

/**
 * A response of the server, which may contain anything.
 *
 * @param request what was requested, for messages
 * @param tooLong whether the body is only the beginning of what was sent
 * @param retryAfter zero when the server did not send it
 * @param location where it redirects to, or empty
 * @param token the request's token, which must not be revealed to anybody else
 */
record ServerResponse(
    String request,
    int status,
    String body,
    boolean tooLong,
    Duration retryAfter,
    String location,
    BearerToken token) {
  static final int MAX_BYTES = 1 << 20;

  private static final int MAX_MESSAGE = 500;

  boolean isSuccess() {
    return status >= 200 && status < 300;
  }

  /** Whether the same request may get another response in a moment. */
  boolean isPassing() {
    return status == 429 || status == 502 || status == 503 || status == 504;
  }

  /**
   * Reads the document of a successful response.
   *
   * @throws CniException when it is not what was expected
   */
  <T> T read(Function<JsonFields, T> reader) {
    if (tooLong) {
      throw malformed("more than %d bytes".formatted(MAX_BYTES));
    }
    JsonFields in;
    try {
      in = JsonValue.of(CniJson.parse(body)).object();
    } catch (CniException e) {
      throw malformed("%s: %s".formatted(Quoted.brief(text()), e.getMessage()));
    }
    T value = reader.apply(in);
    if (!in.problems().isEmpty()) {
      throw malformed("a document that is wrong: " + in.problems().describe());
    }
    return value;
  }

  private CniException malformed(String what) {
    return new CniException(
        ErrorCode.INTERNAL,
        "the IPAM server answered %s with status %d and %s".formatted(request, status, what),
        "is ipam.serverURL the address of a server of the HTTP IPAM protocol?");
  }

  /** The error object, if there is one. */
  private JsonFields error() {
    try {
      return JsonValue.of(CniJson.parse(body)).object().object("error");
    } catch (CniException _) {
      return JsonFields.of(Json.object());
    }
  }

  /** Such as {@code exhausted}; empty when the server sent no error object. */
  String code() {
    return error().text("code").or("");
  }

  boolean isRetryable() {
    return error().bool("retryable").or(false);
  }

  /** The server's message in one line, whatever it sent. */
  String describe() {
    if (!location.isEmpty()) {
      return "status %d, a redirect to %s: write that address into ipam.serverURL"
          .formatted(status, Quoted.brief(token.redact(location)));
    }
    String message = token.redact(error().text("message").or(""));
    if (message.isEmpty()) {
      return "status %d%s".formatted(status, body.isEmpty() ? "" : " and " + Quoted.brief(text()));
    }
    String line =
        message
            .codePoints()
            .limit(MAX_MESSAGE)
            .collect(
                StringBuilder::new,
                (text, c) -> text.appendCodePoint(Character.isISOControl(c) ? ' ' : c),
                StringBuilder::append)
            .toString();
    return "%s (status %d%s)".formatted(line, status, code().isEmpty() ? "" : " " + code());
  }

  private String text() {
    return token.redact(body);
  }
}

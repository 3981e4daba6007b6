package io.ocicat.daemon.info;

import io.ocicat.base.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * A reply of the info socket.
 *
 * @param status of HTTP
 */
record InfoReply(int status, String type, String body) {
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final Map<Integer, String> REASONS =
      Map.of(
          200, "OK",
          400, "Bad Request",
          404, "Not Found",
          405, "Method Not Allowed",
          408, "Request Timeout",
          431, "Request Header Fields Too Large",
          500, "Internal Server Error");

  /** Why a request was refused. */
  static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;

    Refused(int status, String why) {
      super(why, null, false, false);
      this.status = status;
    }

    InfoReply answer() {
      return new InfoReply(status, TEXT, getMessage() + "\n");
    }
  }

  static InfoReply json(JsonNode json) {
    return new InfoReply(200, "application/json", Json.pretty(json));
  }

  static InfoReply metrics(String text) {
    return new InfoReply(200, "text/plain; version=0.0.4; charset=utf-8", text);
  }

  static InfoReply text(String text) {
    return new InfoReply(200, TEXT, text);
  }

  byte[] bytes() {
    byte[] content = body.getBytes(StandardCharsets.UTF_8);
    String head =
        "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
            .formatted(status, REASONS.getOrDefault(status, "Status"), type, content.length);
    byte[] start = head.getBytes(StandardCharsets.ISO_8859_1);
    byte[] whole = new byte[start.length + content.length];
    System.arraycopy(start, 0, whole, 0, start.length);
    System.arraycopy(content, 0, whole, start.length, content.length);
    return whole;
  }
}

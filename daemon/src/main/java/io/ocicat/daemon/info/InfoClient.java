package io.ocicat.daemon.info;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.linux.Received;
import io.ocicat.netlink.linux.SocketType;
import io.ocicat.netlink.linux.UnixSocket;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Queries a daemon at its info socket.
 *
 * @param socket where that is
 */
public record InfoClient(Path socket) {
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final int MAX_ANSWER = 32 << 20;
  private static final int PART = 64 << 10;

  /**
   * Sends a query.
   *
   * @param target path and query, as {@code /calls?last=1}
   * @throws InfoException when there is no daemon, or it refuses
   */
  public String ask(String target) {
    byte[] answer;
    try (UnixSocket connection = UnixSocket.connect(socket, SocketType.STREAM, LIMIT)) {
      String request = "GET %s HTTP/1.1\r\nHost: ocicatd\r\n\r\n".formatted(target);
      connection.send(request.getBytes(StandardCharsets.ISO_8859_1), LIMIT);
      answer = receive(connection);
    } catch (NetlinkException e) {
      boolean down = e.is(Errno.ENOENT) || e.is(Errno.ECONNREFUSED);
      throw new InfoException(
          (down ? "ocicatd is not running: " : "ocicatd does not answer: ") + e.getMessage(), down);
    }
    return body(new String(answer, StandardCharsets.UTF_8));
  }

  public JsonNode askJson(String target) {
    try {
      return CniJson.parse(ask(target));
    } catch (CniException e) {
      throw new InfoException("ocicatd's answer is no JSON: " + e.msg(), false);
    }
  }

  private static byte[] receive(UnixSocket connection) {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    while (whole.size() < MAX_ANSWER) {
      Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
      Optional<Received> part = connection.receive(PART, 0, left);
      if (part.isEmpty()) {
        return whole.toByteArray();
      }
      whole.writeBytes(part.get().bytes());
    }
    throw new InfoException("ocicatd's answer is too long", false);
  }

  private String body(String answer) {
    int end = answer.indexOf("\r\n\r\n");
    if (!answer.startsWith("HTTP/1.1 ") || end < 0) {
      throw new InfoException("what listens at %sis not ocicatd".formatted(socket), false);
    }
    String body = answer.substring(end + 4);
    if (!answer.startsWith("HTTP/1.1 200 ")) {
      throw new InfoException("ocicatd refused the request: " + body.strip(), false);
    }
    return body;
  }
}

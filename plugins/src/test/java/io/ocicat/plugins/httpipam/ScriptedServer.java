package io.ocicat.plugins.httpipam;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A server with scripted answers, one line of the script for each connection; the last one repeats.
 */
final class ScriptedServer implements AutoCloseable {
  private final ServerSocket socket;
  private final Deque<Line> script;
  private final List<String> requests = new CopyOnWriteArrayList<>();

  /** What happens to one connection. */
  @FunctionalInterface
  interface Line {
    void say(OutputStream out) throws IOException;
  }

  ScriptedServer(Line... script) {
    this.script = new ArrayDeque<>(List.of(script));
    try {
      socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.startVirtualThread(this::serve);
  }

  static Line answer(int status, String body, String... headers) {
    return out -> {
      StringBuilder head = new StringBuilder("HTTP/1.1 %d X\r\n".formatted(status));
      for (String header : headers) {
        head.append(header).append("\r\n");
      }
      head.append(
          "Content-Length: %d\r\nConnection: close\r\n\r\n".formatted(body.getBytes(UTF_8).length));
      out.write(head.toString().getBytes(ISO_8859_1));
      out.write(body.getBytes(UTF_8));
    };
  }

  static Line error(int status, String code, boolean retryable) {
    return answer(
        status,
        "{\"error\":{\"code\":\"%s\",\"message\":\"because\",\"retryable\":%b}}"
            .formatted(code, retryable));
  }

  private void serve() {
    while (!socket.isClosed()) {
      try {
        Socket connection = socket.accept();
        Line line = script.size() > 1 ? script.pop() : script.getFirst();
        Thread.startVirtualThread(() -> serve(connection, line));
      } catch (IOException _) {
        return;
      }
    }
  }

  private void serve(Socket connection, Line line) {
    try (connection) {
      requests.add(head(connection.getInputStream()));
      line.say(connection.getOutputStream());
      connection.getOutputStream().flush();
    } catch (IOException _) {
      // The client closed the connection.
    }
  }

  private static String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int c = in.read();
      if (c < 0) {
        break;
      }
      head.append((char) c);
    }
    in.readNBytes(in.available());
    return head.toString();
  }

  /** The heads of the requests so far, without white space at the end of a line. */
  List<String> requests() {
    return requests;
  }

  String url() {
    return "http://127.0.0.1:" + socket.getLocalPort();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package io.ocicat.cri.streaming;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Forwards ports over SPDY: for each TCP connection the client opens two streams, one for data and
 * one for errors. What happens to one pair does not concern the others.
 */
final class SpdyPortForward {
  private static final int LAST_PORT = 65_535;

  /** The streams of one TCP connection, as they arrive. */
  private record Pair(@Nullable SpdyStream data, @Nullable SpdyStream error) {}

  private final String sandboxId;
  private final PodConnector pods;
  private final Map<String, Pair> waiting = new HashMap<>();

  SpdyPortForward(String sandboxId, PodConnector pods) {
    this.sandboxId = sandboxId;
    this.pods = pods;
  }

  /** Called by the connection's reader only. */
  void opened(SpdyStream stream) {
    boolean error = stream.header("streamtype").equals("error");
    if (!error && !stream.header("streamtype").equals("data")) {
      reset(stream);
      return;
    }
    String key = key(stream, error);
    Pair known = waiting.getOrDefault(key, new Pair(null, null));
    Pair pair = error ? new Pair(known.data(), stream) : new Pair(stream, known.error());
    SpdyStream dataStream = pair.data();
    SpdyStream errorStream = pair.error();
    if (dataStream == null || errorStream == null) {
      waiting.put(key, pair);
      return;
    }
    waiting.remove(key);
    Thread.ofVirtual().name("cri-forward").start(() -> forward(dataStream, errorStream));
  }

  /** Old clients do not number their requests: they open the error stream first, then the data. */
  private static String key(SpdyStream stream, boolean error) {
    String number = stream.header("requestid");
    return number.isEmpty() ? "stream " + (error ? stream.id() : stream.id() - 2) : number;
  }

  private void forward(SpdyStream data, SpdyStream error) {
    Socket socket;
    try {
      socket = pods.connect(sandboxId, port(data));
    } catch (IOException | RuntimeException e) {
      refuse(data, error, String.valueOf(e.getMessage()));
      return;
    }
    try {
      SocketCopy.run(data.input(), data.output(), socket);
      error.output().close();
    } catch (IOException _) {
      reset(data);
      reset(error);
    }
  }

  private static int port(SpdyStream data) throws IOException {
    String text = data.header("port");
    if (text.matches("[0-9]{1,5}")) {
      int port = Integer.parseInt(text);
      if (port >= 1 && port <= LAST_PORT) {
        return port;
      }
    }
    throw new IOException("the header port must be 1–65535");
  }

  /** The reason, the end of the error stream, and a reset of the data. */
  private static void refuse(SpdyStream data, SpdyStream error, String why) {
    try (OutputStream out = error.output()) {
      out.write(why.getBytes(StandardCharsets.UTF_8));
    } catch (IOException _) {
      // The connection has gone.
    }
    reset(data);
  }

  private static void reset(SpdyStream stream) {
    try {
      stream.reset();
    } catch (IOException _) {
      // The connection has gone.
    }
  }
}

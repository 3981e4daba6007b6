package io.ocicat.cri.streaming;

import io.ocicat.sandbox.container.ContainerIo;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** One connection of a client, from its request to its end. Runs on a thread of its own. */
final class StreamingConnection {
  private static final int HEAD_MILLIS = (int) Duration.ofSeconds(10).toMillis();
  private static final int LINGER_MILLIS = (int) Duration.ofSeconds(2).toMillis();
  private static final Duration STREAMS_WITHIN = Duration.ofSeconds(30);

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  private final StreamingTokens tokens;
  private final StreamingTarget target;
  private final PodConnector pods;

  StreamingConnection(
      Socket socket, StreamingTokens tokens, StreamingTarget target, PodConnector pods)
      throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream());
    this.out = new BufferedOutputStream(socket.getOutputStream());
    this.tokens = tokens;
    this.target = target;
    this.pods = pods;
  }

  void serve() throws IOException {
    socket.setSoTimeout(HEAD_MILLIS);
    HttpHead head = HttpHead.read(in);
    socket.setSoTimeout(0);
    String[] path = head.path().split("[/?]", -1);
    Optional<StreamingRequest> request =
        path.length >= 3
            ? tokens.take(path[2]).filter(found -> found.path().equals(path[1]))
            : Optional.empty();
    if (request.isEmpty()) {
      refuse("404 Not Found", "", "there is no stream for this token: ask for another one");
    } else if (head.upgradesTo("SPDY/3.1")) {
      spdy(head, request.get());
    } else if (head.upgradesTo("websocket")) {
      webSocket(head, request.get());
    } else {
      refuse("400 Bad Request", "", "the request must upgrade to SPDY/3.1 or websocket");
    }
    linger();
  }

  private void spdy(HttpHead head, StreamingRequest request) throws IOException {
    List<StreamProtocol> known =
        request instanceof StreamingRequest.PortForward
            ? StreamProtocol.PORTS_OVER_SPDY
            : StreamProtocol.PROCESS_OVER_SPDY;
    Optional<StreamProtocol> protocol =
        StreamProtocol.choose(head.elements("x-stream-protocol-version"), known);
    if (protocol.isEmpty()) {
      refuse(
          "403 Forbidden",
          known.stream()
              .map(each -> "X-Accepted-Stream-Protocol-Versions: " + each.text() + "\r\n")
              .collect(Collectors.joining()),
          "no protocol in common");
      return;
    }
    head(
        "101 Switching Protocols",
        "Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: %s\r\n"
            .formatted(protocol.get().text()));
    SpdyConnection connection = new SpdyConnection(in, out);
    switch (request) {
      case StreamingRequest.PortForward(String sandboxId, _) ->
          connection.read(new SpdyPortForward(sandboxId, pods)::opened);
      case StreamingRequest.OfProcess process -> {
        SpdyProcessPeer peer = new SpdyProcessPeer(process, protocol.get());
        ProcessSession session = new ProcessSession(process, peer);
        runSession(
            () -> {
              peer.await(STREAMS_WITHIN);
              session.run(() -> open(process));
            });
        try {
          connection.read(peer::opened);
        } finally {
          session.disconnected();
        }
      }
    }
  }

  private void webSocket(HttpHead head, StreamingRequest request) throws IOException {
    boolean ports = request instanceof StreamingRequest.PortForward;
    Optional<StreamProtocol> protocol =
        StreamProtocol.choose(
            head.elements("sec-websocket-protocol"),
            ports ? StreamProtocol.PORTS_OVER_WEBSOCKET : StreamProtocol.PROCESS_OVER_WEBSOCKET);
    String key = head.header("sec-websocket-key");
    if (protocol.isEmpty() || key.isEmpty()) {
      refuse("400 Bad Request", "", "no WebSocket protocol in common");
      return;
    }
    head(
        "101 Switching Protocols",
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: %s\r\n"
            .formatted(WebSocketConnection.accept(key), protocol.get().text()));
    WebSocketConnection connection = new WebSocketConnection(in, out);
    switch (request) {
      case StreamingRequest.PortForward forward -> {
        WebSocketPortForward session = new WebSocketPortForward(connection, forward, pods);
        session.begin();
        try {
          connection.read(session);
        } finally {
          session.ended();
        }
      }
      case StreamingRequest.OfProcess process -> {
        WebSocketProcessPeer peer = new WebSocketProcessPeer(connection, process, protocol.get());
        ProcessSession session = new ProcessSession(process, peer);
        peer.begin();
        runSession(() -> session.run(() -> open(process)));
        try {
          connection.read(peer);
        } finally {
          peer.ended();
          session.disconnected();
        }
      }
    }
  }

  private interface SessionCode {
    void run() throws IOException, InterruptedException;
  }

  /** When the process has ended, so does the connection; the reader notices it then. */
  private void runSession(SessionCode session) {
    Thread.ofPlatform()
        .daemon()
        .name("cri-session")
        .start(
            () -> {
              try {
                session.run();
                out.flush();
                socket.shutdownOutput();
                socket.setSoTimeout(LINGER_MILLIS);
              } catch (IOException | InterruptedException _) {
                closeQuietly();
              }
            });
  }

  private ContainerIo open(StreamingRequest.OfProcess process) {
    return switch (process) {
      case StreamingRequest.Exec exec -> target.exec(exec);
      case StreamingRequest.Attach attach -> target.attach(attach);
    };
  }

  private void refuse(String status, String headers, String why) throws IOException {
    byte[] body = (why + "\n").getBytes(StandardCharsets.UTF_8);
    head(
        status,
        headers
            + "Content-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n"
                .formatted(body.length));
    out.write(body);
    out.flush();
  }

  private void head(String status, String headers) throws IOException {
    out.write(
        "HTTP/1.1 %s\r\n%s\r\n".formatted(status, headers).getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }

  /** Takes what the client still sends: closing with unread bytes would discard sent ones. */
  private void linger() throws IOException {
    socket.shutdownOutput();
    socket.setSoTimeout(LINGER_MILLIS);
    byte[] rest = new byte[1024];
    long until = System.nanoTime() + Duration.ofMillis(LINGER_MILLIS).toNanos();
    while (System.nanoTime() < until && in.read(rest) >= 0) {
      // Discarded.
    }
  }

  private void closeQuietly() {
    try {
      socket.close();
    } catch (IOException _) {
      // Nobody uses it any more.
    }
  }
}

package io.ocicat.cri.streaming;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** The client of a process over WebSocket: one numbered channel for each stream. */
final class WebSocketProcessPeer implements ProcessPeer, WebSocketConnection.Listener {
  private static final int STDIN = 0;
  private static final int STDOUT = 1;
  private static final int STDERR = 2;
  private static final int ERROR = 3;
  private static final int RESIZE = 4;

  /** Since version 5: the channel in the next byte is closed. */
  private static final int CLOSED = 255;

  private final WebSocketConnection connection;
  private final StreamingRequest.OfProcess request;
  private final StreamProtocol version;
  private final BytePipe stdin = new BytePipe();
  private final BytePipe resizes = new BytePipe();

  WebSocketProcessPeer(
      WebSocketConnection connection, StreamingRequest.OfProcess request, StreamProtocol version) {
    this.connection = connection;
    this.request = request;
    this.version = version;
  }

  /** Clients wait for something to know that the upgrade worked. */
  void begin() throws IOException {
    connection.send(request.stdout() ? STDOUT : request.stderr() ? STDERR : ERROR, new byte[0]);
  }

  @Override
  public void message(int channel, byte[] content) {
    switch (channel) {
      case STDIN -> {
        if (request.stdin()) {
          stdin.write(content);
        }
      }
      case RESIZE -> {
        if (request.tty()) {
          resizes.write(content);
        }
      }
      case CLOSED -> {
        if (version == StreamProtocol.V5 && content.length == 1 && content[0] == STDIN) {
          stdin.end();
        }
      }
      default -> {
        // Clients have no other channels.
      }
    }
  }

  /** The client has gone. */
  void ended() {
    stdin.end();
    resizes.end();
  }

  @Override
  public InputStream stdin() {
    return stdin;
  }

  @Override
  public InputStream resizes() {
    return resizes;
  }

  @Override
  public OutputStream stdout() {
    return request.stdout() ? connection.channel(STDOUT) : OutputStream.nullOutputStream();
  }

  @Override
  public OutputStream stderr() {
    return request.stderr() ? connection.channel(STDERR) : OutputStream.nullOutputStream();
  }

  @Override
  public void finish(ProcessOutcome outcome) throws IOException {
    byte[] status = outcome.message(version.structuredStatus());
    if (status.length > 0) {
      connection.send(ERROR, status);
    }
    connection.close();
    stdin.close();
    resizes.close();
  }
}

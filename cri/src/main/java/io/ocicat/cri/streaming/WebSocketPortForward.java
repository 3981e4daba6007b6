package io.ocicat.cri.streaming;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Forwards ports over WebSocket: port number n of the request has the channels 2n for data and 2n+1
 * for errors, and one TCP connection. The protocol has no half-close.
 */
final class WebSocketPortForward implements WebSocketConnection.Listener {
  private final WebSocketConnection connection;
  private final StreamingRequest.PortForward request;
  private final PodConnector pods;
  private final List<BytePipe> inputs = new ArrayList<>();
  private final CountDownLatch left;

  WebSocketPortForward(
      WebSocketConnection connection, StreamingRequest.PortForward request, PodConnector pods) {
    this.connection = connection;
    this.request = request;
    this.pods = pods;
    this.left = new CountDownLatch(request.ports().size());
    request.ports().forEach(_ -> inputs.add(new BytePipe()));
  }

  /** Every channel begins with its port. */
  void begin() throws IOException {
    for (int i = 0; i < request.ports().size(); i++) {
      byte[] port =
          ByteBuffer.allocate(2)
              .order(ByteOrder.LITTLE_ENDIAN)
              .putShort(request.ports().get(i).shortValue())
              .array();
      connection.send(2 * i, port);
      connection.send(2 * i + 1, port);
    }
    for (int i = 0; i < request.ports().size(); i++) {
      int number = i;
      Thread.ofVirtual().name("cri-forward").start(() -> forward(number));
    }
    Thread.ofVirtual().name("cri-forward-end").start(this::closeAtEnd);
  }

  private void closeAtEnd() {
    try {
      left.await();
      connection.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException _) {
      // The client has gone.
    }
  }

  private void forward(int number) {
    OutputStream error = connection.channel(2 * number + 1);
    try {
      Socket socket = pods.connect(request.sandboxId(), request.ports().get(number));
      SocketCopy.run(inputs.get(number), connection.channel(2 * number), socket);
    } catch (IOException | RuntimeException e) {
      try {
        error.write(String.valueOf(e.getMessage()).getBytes(StandardCharsets.UTF_8));
      } catch (IOException _) {
        // The client has gone.
      }
    } finally {
      inputs.get(number).close();
      left.countDown();
    }
  }

  @Override
  public void message(int channel, byte[] content) {
    if (channel % 2 == 0 && channel / 2 < inputs.size()) {
      inputs.get(channel / 2).write(content);
    }
  }

  /** The client has gone. */
  void ended() {
    inputs.forEach(BytePipe::fail);
  }
}

package io.ocicat.cri.streaming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Exec over WebSocket, with the client of the JDK. */
class WebSocketTest {
  private final LocalTarget target = new LocalTarget();
  private final HttpClient http = HttpClient.newHttpClient();

  @AfterEach
  void end() {
    http.close();
    target.close();
  }

  /** Collects messages by their first byte. */
  static final class Channels implements WebSocket.Listener {
    private final Map<Integer, ByteArrayOutputStream> received = new TreeMap<>();
    private final ByteArrayOutputStream message = new ByteArrayOutputStream();
    final CountDownLatch closed = new CountDownLatch(1);

    @Override
    public @Nullable CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
      byte[] bytes = new byte[data.remaining()];
      data.get(bytes);
      synchronized (this) {
        message.writeBytes(bytes);
        if (last) {
          byte[] whole = message.toByteArray();
          message.reset();
          received
              .computeIfAbsent((int) whole[0], _ -> new ByteArrayOutputStream())
              .write(whole, 1, whole.length - 1);
        }
      }
      socket.request(1);
      return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
      closed.countDown();
      return null;
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
      closed.countDown();
    }

    synchronized byte[] bytes(int channel) {
      ByteArrayOutputStream found = received.get(channel);
      return found == null ? new byte[0] : found.toByteArray();
    }

    String text(int channel) {
      return new String(bytes(channel), StandardCharsets.UTF_8);
    }
  }

  private WebSocket connect(URI address, Channels channels, String... protocols) {
    String first = protocols[0];
    String[] others = new String[protocols.length - 1];
    System.arraycopy(protocols, 1, others, 0, others.length);
    return http.newWebSocketBuilder()
        .subprotocols(first, others)
        .buildAsync(URI.create(address.toString().replace("http:", "ws:")), channels)
        .join();
  }

  private static void send(WebSocket socket, int channel, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    socket
        .sendBinary(
            ByteBuffer.allocate(bytes.length + 1).put((byte) channel).put(bytes).flip(), true)
        .join();
  }

  @Test
  void channelsCarryOutputsAndTheStatus() throws Exception {
    Channels channels = new Channels();
    WebSocket socket =
        connect(target.exec("echo out; echo err >&2; exit 5"), channels, "v5.channel.k8s.io");
    assertThat(socket.getSubprotocol()).isEqualTo("v5.channel.k8s.io");

    assertThat(channels.closed.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(channels.text(1)).isEqualTo("out\n");
    assertThat(channels.text(2)).isEqualTo("err\n");
    assertThat(channels.text(3)).contains("\"message\":\"5\"");
  }

  @Test
  void version5ClosesTheInput() throws Exception {
    Channels channels = new Channels();
    WebSocket socket =
        connect(target.exec("cat; echo end"), channels, "v5.channel.k8s.io", "v4.channel.k8s.io");
    send(socket, 0, "typed ");
    socket.sendBinary(ByteBuffer.wrap(new byte[] {(byte) 255, 0}), true).join();

    assertThat(channels.closed.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(channels.text(1)).isEqualTo("typed end\n");
    assertThat(channels.text(3)).isEqualTo("{\"metadata\":{},\"status\":\"Success\"}");
  }

  @Test
  void sizesOfTheTerminalHaveAChannel() throws Exception {
    Channels channels = new Channels();
    WebSocket socket =
        connect(target.exec(true, true, false, "cat"), channels, "v4.channel.k8s.io");
    send(socket, 4, "{\"Width\":100,\"Height\":40}");

    assertThat(target.sizes.poll(10, TimeUnit.SECONDS)).isEqualTo("100x40");
    socket.abort();
  }

  @Test
  void megabytesPass() throws Exception {
    Channels channels = new Channels();
    connect(
        target.exec(false, false, false, "sh", "-c", "head -c 3000000 /dev/zero"),
        channels,
        "v5.channel.k8s.io");

    assertThat(channels.closed.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(channels.bytes(1)).hasSize(3_000_000);
  }

  @Test
  void otherProtocolsAreRefused() {
    assertThatThrownBy(() -> connect(target.exec("true"), new Channels(), "v9.channel.k8s.io"))
        .hasStackTraceContaining("400");
  }
}

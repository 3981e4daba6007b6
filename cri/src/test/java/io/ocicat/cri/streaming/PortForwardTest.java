package io.ocicat.cri.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Ports of a pod, which is a network namespace here, over both protocols. */
@Hosts
class PortForwardTest {
  private static final String PROTOCOL = "portforward.k8s.io";

  private final LocalTarget target = new LocalTarget();
  private String pod = "";
  private ServerSocket echo = unbound();

  private static ServerSocket unbound() {
    try {
      return new ServerSocket();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Answers with what it got, once its input has ended. */
  @BeforeEach
  void start(Host host) throws Exception {
    pod = host.path().toString();
    try (NetNs inside = NetNs.open(host.path())) {
      echo =
          inside.call(
              () -> {
                ServerSocket socket = new ServerSocket();
                socket.bind(
                    new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0));
                return socket;
              });
    }
    Thread.ofVirtual().start(() -> serve(echo));
  }

  private static void serve(ServerSocket listener) {
    try {
      while (true) {
        Socket socket = listener.accept();
        Thread.ofVirtual().start(() -> answer(socket));
      }
    } catch (IOException _) {
      // Closed.
    }
  }

  private static void answer(Socket socket) {
    try (socket) {
      InputStream in = socket.getInputStream();
      OutputStream out = socket.getOutputStream();
      out.write("hello ".getBytes(StandardCharsets.UTF_8));
      out.write(in.readAllBytes());
    } catch (IOException _) {
      // Reset.
    }
  }

  @AfterEach
  void end() throws IOException {
    echo.close();
    target.close();
  }

  private URI address() {
    return target.address(new StreamingRequest.PortForward(pod, List.of(echo.getLocalPort())));
  }

  private record Forward(SpdyClient.Stream error, SpdyClient.Stream data) {
    static Forward open(SpdyClient client, int number, int port) throws IOException {
      Map<String, String> request =
          Map.of("requestid", Integer.toString(number), "port", Integer.toString(port));
      return new Forward(client.open(with(request, "error")), client.open(with(request, "data")));
    }

    private static Map<String, String> with(Map<String, String> headers, String type) {
      Map<String, String> all = new java.util.TreeMap<>(headers);
      all.put("streamtype", type);
      return all;
    }
  }

  @Test
  void theAnswerComesAfterTheRequestHasEnded() throws Exception {
    try (SpdyClient client = new SpdyClient(address(), PROTOCOL)) {
      Forward forward = Forward.open(client, 0, echo.getLocalPort());
      Eventually.await("the greeting", () -> forward.data().text().equals("hello "));
      forward.data().send("from outside");
      forward.data().end();

      assertThat(forward.data().awaitEnd()).isEqualTo("hello from outside");
      assertThat(forward.error().awaitEnd()).isEmpty();
    }
  }

  @Test
  void oneFailureAndOneResetConcernOnlyTheirConnection() throws Exception {
    try (SpdyClient client = new SpdyClient(address(), PROTOCOL)) {
      Forward lasting = Forward.open(client, 0, echo.getLocalPort());
      Forward refused = Forward.open(client, 1, 1);
      Forward reset = Forward.open(client, 2, echo.getLocalPort());
      assertThat(refused.error().awaitEnd())
          .startsWith("nothing accepts connections at port 1 inside the pod");
      refused.data().awaitEnd();
      assertThat(refused.data().reset).isTrue();
      Eventually.await("the greeting", () -> reset.data().text().equals("hello "));
      reset.data().cancel();

      lasting.data().send("still here");
      lasting.data().end();
      assertThat(lasting.data().awaitEnd()).isEqualTo("hello still here");
      Forward later = Forward.open(client, 3, echo.getLocalPort());
      later.data().end();
      assertThat(later.data().awaitEnd()).isEqualTo("hello ");
    }
  }

  @Test
  void oldClientsDoNotNumberTheirRequests() throws Exception {
    try (SpdyClient client = new SpdyClient(address(), PROTOCOL)) {
      String port = Integer.toString(echo.getLocalPort());
      client.open(Map.of("streamtype", "error", "port", port));
      SpdyClient.Stream data = client.open(Map.of("streamtype", "data", "port", port));
      data.end();
      assertThat(data.awaitEnd()).isEqualTo("hello ");
    }
  }

  @Test
  void aPortThatIsNoneIsRefused() throws Exception {
    try (SpdyClient client = new SpdyClient(address(), PROTOCOL)) {
      Forward forward = Forward.open(client, 0, 70_000);
      assertThat(forward.error().awaitEnd()).isEqualTo("the header port must be 1–65535");
    }
  }

  @Test
  void nothingReachesThePortFromOutsideThePod() throws Exception {
    URI other =
        target.address(new StreamingRequest.PortForward("host", List.of(echo.getLocalPort())));
    try (SpdyClient client = new SpdyClient(other, PROTOCOL)) {
      Forward forward = Forward.open(client, 0, echo.getLocalPort());
      assertThat(forward.error().awaitEnd()).startsWith("nothing accepts connections");
    }
  }

  @Test
  void webSocketChannelsBeginWithTheirPort() throws Exception {
    WebSocketTest.Channels channels = new WebSocketTest.Channels();
    try (HttpClient http = HttpClient.newHttpClient()) {
      WebSocket socket =
          http.newWebSocketBuilder()
              .subprotocols("v4.channel.k8s.io")
              .buildAsync(URI.create(address().toString().replace("http:", "ws:")), channels)
              .join();
      Eventually.await("the greeting", () -> channels.bytes(0).length == 8);
      ByteBuffer head = ByteBuffer.wrap(channels.bytes(0)).order(java.nio.ByteOrder.LITTLE_ENDIAN);
      assertThat(head.getShort() & 0xffff).isEqualTo(echo.getLocalPort());
      assertThat(channels.text(0)).endsWith("hello ");
      assertThat(channels.bytes(1)).hasSize(2);
      socket.abort();
    }
  }

  @Test
  void webSocketErrorsHaveAChannel() throws Exception {
    WebSocketTest.Channels channels = new WebSocketTest.Channels();
    try (HttpClient http = HttpClient.newHttpClient()) {
      URI closed = target.address(new StreamingRequest.PortForward(pod, List.of(1)));
      http.newWebSocketBuilder()
          .subprotocols("v4.channel.k8s.io")
          .buildAsync(URI.create(closed.toString().replace("http:", "ws:")), channels)
          .join();
      assertThat(channels.closed.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(channels.text(1)).contains("nothing accepts connections at port 1");
    }
  }
}

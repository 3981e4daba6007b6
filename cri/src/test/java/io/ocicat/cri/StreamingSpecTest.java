package io.ocicat.cri;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.ocicat.cri.CriCalls.Container;
import io.ocicat.cri.message.SandboxConfigMessages.PodSandboxConfig;
import io.ocicat.cri.message.StreamingMessages.AttachRequest;
import io.ocicat.cri.message.StreamingMessages.ExecRequest;
import io.ocicat.cri.message.StreamingMessages.PortForwardRequest;
import io.ocicat.cri.message.StreamingMessages.StreamingResponse;
import io.ocicat.cri.streaming.SpdyClient;
import io.ocicat.testkit.Eventually;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The specs "Streaming" of critest, by their names: over SPDY, into real containers. */
class StreamingSpecTest extends CriSpec {
  private static final String V4 = "v4.channel.k8s.io";

  private PodSandboxConfig config;
  private String pod = "";

  @BeforeEach
  void runPod() {
    config = calls.pod("streaming");
    pod = calls.run(config);
  }

  private URI exec(String id, boolean tty, boolean stdin, String... command) {
    return URI.create(
        client
            .call(
                "Exec",
                new ExecRequest(id, List.of(command), tty, stdin, true, !tty),
                StreamingResponse::read)
            .url());
  }

  @Test
  @DisplayName("runtime should support exec")
  void exec() throws Exception {
    String id = calls.createAndStart(pod, config, Container.named("exec"));
    URI address = exec(id, false, true, "sh", "-c", "cat; echo err >&2; exit 7");
    assertThat(address.getHost()).isEqualTo("127.0.0.1");
    try (SpdyClient spdy = new SpdyClient(address, V4)) {
      SpdyClient.Stream error = spdy.open("error");
      SpdyClient.Stream stdin = spdy.open("stdin");
      SpdyClient.Stream stdout = spdy.open("stdout");
      SpdyClient.Stream stderr = spdy.open("stderr");
      stdin.send("typed");
      stdin.end();
      assertThat(stdout.awaitEnd()).isEqualTo("typed");
      assertThat(stderr.awaitEnd()).isEqualTo("err\n");
      assertThat(error.awaitEnd()).contains("\"message\":\"7\"");
    }
  }

  @Test
  @DisplayName("runtime should support exec with tty=true and stdin=true")
  void terminal() throws Exception {
    String id = calls.createAndStart(pod, config, Container.named("tty"));
    try (SpdyClient spdy = new SpdyClient(exec(id, true, true, "sh"), V4)) {
      SpdyClient.Stream error = spdy.open("error");
      SpdyClient.Stream stdin = spdy.open("stdin");
      SpdyClient.Stream stdout = spdy.open("stdout");
      SpdyClient.Stream resize = spdy.open("resize");
      resize.send("{\"Width\":97,\"Height\":31}");
      Eventually.await(
          "the size",
          () -> {
            try {
              stdin.send("stty size; echo\n");
            } catch (java.io.IOException e) {
              throw new AssertionError(e);
            }
            return stdout.text().contains("31 97");
          });
      stdin.send("exit 3\n");
      assertThat(error.awaitEnd()).contains("\"message\":\"3\"");
    }
  }

  @Test
  @DisplayName("runtime should support attach")
  void attach() throws Exception {
    String id =
        calls.createAndStart(
            pod, config, Container.named("attach").running("cat").interactive(true, false));
    URI address =
        URI.create(
            client
                .call(
                    "Attach",
                    new AttachRequest(id, true, false, true, true),
                    StreamingResponse::read)
                .url());
    try (SpdyClient spdy = new SpdyClient(address, V4)) {
      spdy.open("error");
      SpdyClient.Stream stdin = spdy.open("stdin");
      SpdyClient.Stream stdout = spdy.open("stdout");
      spdy.open("stderr");
      stdin.send("hello\n");
      Eventually.await("the echo", () -> stdout.text().equals("hello\n"));
    }
  }

  @Test
  @DisplayName("runtime should support portforward")
  void portForward() throws Exception {
    calls.createAndStart(pod, config, Container.named("web").shell("httpd -f -p 80 -h /www"));
    URI address =
        URI.create(
            client
                .call(
                    "PortForward",
                    new PortForwardRequest(pod, List.of(80L)),
                    StreamingResponse::read)
                .url());
    try (SpdyClient spdy = new SpdyClient(address, "portforward.k8s.io")) {
      Eventually.await(
          "the page",
          () -> {
            try {
              spdy.open(Map.of("streamtype", "error", "port", "80"));
              SpdyClient.Stream data = spdy.open(Map.of("streamtype", "data", "port", "80"));
              data.send("GET / HTTP/1.0\r\n\r\n");
              return data.awaitEnd().endsWith("hello from the pod\n");
            } catch (java.io.IOException | InterruptedException e) {
              throw new AssertionError(e);
            }
          });
    }
  }

  @Test
  void whatCannotBeStreamedIsRefusedBeforeThereIsAnAddress() {
    String created = calls.create(pod, config, Container.named("created"));
    String running = calls.createAndStart(pod, config, Container.named("running"));
    Map<Status.Code, ExecRequest> wrong =
        Map.of(
            Status.Code.FAILED_PRECONDITION,
            new ExecRequest(created, List.of("true"), false, false, true, false),
            Status.Code.NOT_FOUND,
            new ExecRequest("f".repeat(64), List.of("true"), false, false, true, false),
            Status.Code.INVALID_ARGUMENT,
            new ExecRequest(running, List.of("true"), true, false, true, true));
    wrong.forEach(
        (code, request) ->
            assertThat(client.failure("Exec", request).getCode()).as("" + request).isEqualTo(code));
    assertThat(
            client.failure(
                "Exec", new ExecRequest(running, List.of("true"), false, false, false, false)))
        .extracting(Status::getCode, Status::getDescription)
        .containsExactly(
            Status.Code.INVALID_ARGUMENT, "one of stdin, stdout and stderr must be asked for");
    assertThat(client.failure("Attach", new AttachRequest(running, false, true, true, false)))
        .extracting(Status::getCode)
        .isEqualTo(Status.Code.INVALID_ARGUMENT);
    calls.stopPod(pod);
    assertThat(client.failure("PortForward", new PortForwardRequest(pod, List.of(80L))).getCode())
        .isEqualTo(Status.Code.FAILED_PRECONDITION);
  }
}

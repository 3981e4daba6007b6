package io.ocicat.cri.streaming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Exec and attach over SPDY/3.1, as crictl and kubelet speak it. */
class SpdyProcessTest {
  private static final String V4 = "v4.channel.k8s.io";

  private final LocalTarget target = new LocalTarget();

  @AfterEach
  void end() {
    target.close();
  }

  @Test
  void outputsAndExitCodeReachTheClient() throws Exception {
    try (SpdyClient client = new SpdyClient(target.exec("echo out; echo err >&2; exit 3"), V4)) {
      assertThat(client.head)
          .startsWith("HTTP/1.1 101 ")
          .contains("X-Stream-Protocol-Version: " + V4);
      SpdyClient.Stream error = client.open("error");
      SpdyClient.Stream stdin = client.open("stdin");
      SpdyClient.Stream stdout = client.open("stdout");
      SpdyClient.Stream stderr = client.open("stderr");
      assertThat(stdin.replied.await(10, TimeUnit.SECONDS)).isTrue();

      assertThat(stdout.awaitEnd()).isEqualTo("out\n");
      assertThat(stderr.awaitEnd()).isEqualTo("err\n");
      assertThat(error.awaitEnd())
          .isEqualTo(
              """
              {"metadata":{},"status":"Failure",\
              "message":"command terminated with non-zero exit code 3",\
              "reason":"NonZeroExitCode",\
              "details":{"causes":[{"reason":"ExitCode","message":"3"}]}}""");
    }
  }

  @Test
  void theEndOfTheInputReachesTheProgramAndOutputsGoOn() throws Exception {
    try (SpdyClient client =
        new SpdyClient(target.exec(false, true, false, "sh", "-c", "cat; echo end"), V4)) {
      SpdyClient.Stream error = client.open("error");
      SpdyClient.Stream stdin = client.open("stdin");
      SpdyClient.Stream stdout = client.open("stdout");
      stdin.send("one\n");
      stdin.send("two\n");
      stdin.end();

      assertThat(stdout.awaitEnd()).isEqualTo("one\ntwo\nend\n");
      assertThat(error.awaitEnd()).isEqualTo("{\"metadata\":{},\"status\":\"Success\"}");
    }
  }

  @Test
  void megabytesPassInBothDirectionsWithoutWindowUpdates() throws Exception {
    try (SpdyClient client = new SpdyClient(target.exec(false, true, false, "cat"), V4)) {
      client.open("error");
      SpdyClient.Stream stdin = client.open("stdin");
      SpdyClient.Stream stdout = client.open("stdout");
      byte[] chunk =
          "0123456789abcdef".repeat(4096).getBytes(java.nio.charset.StandardCharsets.UTF_8);
      for (int i = 0; i < 64; i++) {
        stdin.send(chunk);
      }
      stdin.end();

      stdout.awaitEnd();
      assertThat(stdout.size()).isEqualTo(64 * chunk.length);
    }
  }

  @Test
  void sizesOfTheTerminalArriveInOrder() throws Exception {
    try (SpdyClient client = new SpdyClient(target.exec(true, true, false, "cat"), V4)) {
      client.open("error");
      SpdyClient.Stream stdin = client.open("stdin");
      client.open("stdout");
      SpdyClient.Stream resize = client.open("resize");
      resize.send("{\"Width\":80,\"Hei");
      resize.send("ght\":24}\n{\"Width\":0,\"Height\":9}{\"Width\":132,\"Height\":50}");

      assertThat(target.sizes.poll(10, TimeUnit.SECONDS)).isEqualTo("80x24");
      assertThat(target.sizes.poll(10, TimeUnit.SECONDS)).isEqualTo("132x50");
      stdin.end();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"channel.k8s.io", "v2.channel.k8s.io", "v3.channel.k8s.io"})
  void olderVersionsGetTextOnTheErrorStream(String version) throws Exception {
    try (SpdyClient client =
        new SpdyClient(
            target.exec(false, false, false, "sh", "-c", "exit 9"), "v9.unknown", version)) {
      assertThat(client.head).contains("X-Stream-Protocol-Version: " + version + "\r\n");
      SpdyClient.Stream error = client.open("error");
      client.open("stdout");
      assertThat(error.awaitEnd()).isEqualTo("command terminated with non-zero exit code 9");
    }
  }

  @Test
  void protocolsAreAlsoReadFromACommaList() throws Exception {
    try (SpdyClient client =
        new SpdyClient(target.exec("true"), "v9.unknown, v3.channel.k8s.io, v4.channel.k8s.io")) {
      assertThat(client.head).contains("X-Stream-Protocol-Version: v3.channel.k8s.io");
    }
  }

  @Test
  void withoutACommonProtocolTheClientLearnsWhatThereIs() throws Exception {
    try (SpdyClient client = new SpdyClient(target.exec("true"), "v9.unknown")) {
      assertThat(client.head)
          .startsWith("HTTP/1.1 403 ")
          .contains("X-Accepted-Stream-Protocol-Versions: v4.channel.k8s.io");
    }
  }

  @Test
  void aProgramThatCannotBeRunIsAnInternalError() throws Exception {
    try (SpdyClient client =
        new SpdyClient(target.exec(false, false, false, "/does/not/exist"), V4)) {
      SpdyClient.Stream error = client.open("error");
      client.open("stdout");
      assertThat(error.awaitEnd())
          .contains("\"reason\":\"InternalError\"")
          .contains("\"code\":500");
    }
  }

  @Test
  void childrenThatHoldTheOutputsDoNotHoldTheSession(@TempDir Path folder) throws Exception {
    Path pid = folder.resolve("pid");
    try (SpdyClient client =
        new SpdyClient(target.exec("sleep 600 & echo $! >" + pid + "; echo done"), V4)) {
      SpdyClient.Stream error = client.open("error");
      client.open("stdin");
      SpdyClient.Stream stdout = client.open("stdout");
      client.open("stderr");
      assertThat(stdout.awaitEnd()).isEqualTo("done\n");
      assertThat(error.awaitEnd()).contains("Success");
    } finally {
      ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()))
          .ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  /** The program goes on: it may be an installation. */
  @Test
  void aClientThatVanishesLeavesTheProgramWithoutInput(@TempDir Path folder) throws Exception {
    Path done = folder.resolve("done");
    try (SpdyClient client = new SpdyClient(target.exec("cat >/dev/null; echo yes >" + done), V4)) {
      client.open("error");
      SpdyClient.Stream stdin = client.open("stdin");
      client.open("stdout");
      client.open("stderr");
      stdin.send("begun");
      Eventually.await("reply", () -> stdin.replied.getCount() == 0);
    }
    Eventually.await("the program's end", () -> Files.exists(done));
  }

  @Test
  void attachStreamsAreTheContainers() throws Exception {
    URI address = target.address(new StreamingRequest.Attach("c", false, true, true, false));
    try (SpdyClient client = new SpdyClient(address, V4)) {
      client.open("error");
      SpdyClient.Stream stdin = client.open("stdin");
      SpdyClient.Stream stdout = client.open("stdout");
      stdin.send("typed");
      stdin.end();
      assertThat(stdout.awaitEnd()).isEqualTo("attached\ntyped");
    }
  }

  @Test
  void pingsAreAnsweredAndUnknownStreamsReset() throws Exception {
    try (SpdyClient client = new SpdyClient(target.exec(false, true, false, "cat"), V4)) {
      client.ping(1);
      assertThat(client.pinged.await(10, TimeUnit.SECONDS)).isTrue();
      SpdyClient.Stream odd = client.open("nonsense");
      odd.awaitEnd();
      assertThat(odd.reset).isTrue();
    }
  }

  @Test
  void aTokenIsGoodForOneUse() throws Exception {
    URI address = target.exec("true");
    try (SpdyClient first = new SpdyClient(address, V4);
        SpdyClient second = new SpdyClient(address, V4)) {
      assertThat(first.head).startsWith("HTTP/1.1 101 ");
      assertThat(second.head).startsWith("HTTP/1.1 404 ");
    }
  }

  @Test
  void aTokenIsGoodForItsOwnPathOnly() throws Exception {
    URI address = target.exec("true");
    URI other = URI.create(address.toString().replace("/exec/", "/attach/"));
    try (SpdyClient client = new SpdyClient(other, V4)) {
      assertThat(client.head).startsWith("HTTP/1.1 404 ");
    }
    try (SpdyClient guess =
        new SpdyClient(URI.create(address.toString().replaceAll("[^/]*$", "AAAA")), V4)) {
      assertThat(guess.head).startsWith("HTTP/1.1 404 ");
    }
  }

  @Test
  void aTokenLivesForAMinute() throws IOException {
    AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
    try (LocalTarget slow = new LocalTarget(now::get)) {
      URI inTime = slow.exec("true");
      URI late = slow.exec("true");
      now.set(Instant.EPOCH.plusSeconds(59));
      try (SpdyClient client = new SpdyClient(inTime, V4)) {
        assertThat(client.head).startsWith("HTTP/1.1 101 ");
      }
      now.set(Instant.EPOCH.plusSeconds(60));
      try (SpdyClient client = new SpdyClient(late, V4)) {
        assertThat(client.head).startsWith("HTTP/1.1 404 ");
      }
    }
  }

  @Test
  void onlySoManyTokensWait() {
    StreamingRequest request =
        new StreamingRequest.Exec("c", List.of("true"), false, false, true, false);
    for (int i = 0; i < 1000; i++) {
      assertThat(target.server.address(request)).isPresent();
    }
    assertThat(target.server.address(request)).isEmpty();
  }

  @Test
  void onlyLoopbackIsServed() throws IOException {
    InetSocketAddress everywhere =
        new InetSocketAddress(InetAddress.getByAddress(new byte[] {0, 0, 0, 0}), 0);
    assertThatThrownBy(() -> StreamingServer.start(everywhere, target, Instant::now))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("loopback");
  }
}

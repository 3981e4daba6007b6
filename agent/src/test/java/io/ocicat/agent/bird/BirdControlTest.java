package io.ocicat.agent.bird;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import io.ocicat.testkit.Seeded;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The control socket of a real BIRD, and of somebody who only pretends to be one. */
@Hosts
class BirdControlTest {
  private static final Duration SHORT = Duration.ofMillis(200);

  @TempDir Path folder;

  @Test
  void commandsAreAnsweredOrRefused(Host host) throws Exception {
    String text = TestBird.mesh("10.7.0.1", "10.7.0.2");
    try (TestBird bird = new TestBird(host, folder).want(text).awaitRunning();
        BirdControl control = bird.connect()) {
      assertThat(control.daemon().routerId()).isEqualTo("10.7.0.1");
      assertThat(control.protocols()).extracting(BirdProtocol::name).contains("kernel4");
      assertThatThrownBy(() -> control.command("nonsense"))
          .isInstanceOfSatisfying(
              BirdException.Refused.class, e -> assertThat(e.code()).isEqualTo(9001));
      Path bad = Files.writeString(folder.resolve("bad.conf"), "router id 1.1.1.1;\n\n  bad;\n");
      assertThatThrownBy(() -> control.command("configure check \"%s\"".formatted(bad)))
          .isInstanceOfSatisfying(
              BirdException.InvalidConfiguration.class,
              e -> {
                assertThat(e.line()).isEqualTo(3);
                assertThat(e.column()).isEqualTo(3);
                assertThat(e.reason()).startsWith("syntax error");
              });
      control.restricted();
      assertThatThrownBy(() -> control.command("configure"))
          .isInstanceOfSatisfying(
              BirdException.Refused.class, e -> assertThat(e.code()).isEqualTo(8007));
      assertThat(control.daemon().version()).startsWith("2.");
    }
  }

  @Test
  void aHungBirdIsNotWaitedForLongerThanTheLimit(Host host) {
    String text = TestBird.mesh("10.7.0.1", "10.7.0.2");
    long pid;
    BirdFiles files;
    try (TestBird bird = new TestBird(host, folder).want(text).awaitRunning()) {
      pid = bird.pid();
      files = bird.files;
    }
    try (BirdControl control = BirdControl.connect(files.socket(), SHORT)) {
      Command.of("kill", "-STOP", Long.toString(pid)).run();
      assertThatThrownBy(() -> control.command("show status"))
          .isInstanceOf(BirdException.NoAnswer.class);
      // More than the kernel queues: both ways not to be answered.
      for (int i = 0; i < 40; i++) {
        assertThatThrownBy(() -> BirdControl.connect(files.socket(), Duration.ofMillis(5)).close())
            .isInstanceOfAny(BirdException.NoAnswer.class, BirdException.Unreachable.class);
      }
    }
  }

  @Test
  void aSocketThatIsMissingOrDeadIsUnreachable() throws Exception {
    Path socket = folder.resolve("s");
    assertThatThrownBy(() -> BirdControl.connect(socket, SHORT))
        .isInstanceOf(BirdException.Unreachable.class)
        .hasMessageContaining(socket.toString());
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(socket));
    server.close();
    assertThatThrownBy(() -> BirdControl.connect(socket, SHORT))
        .isInstanceOf(BirdException.Unreachable.class);
    assertThatThrownBy(() -> BirdControl.connect(folder.resolve("x".repeat(200)), SHORT))
        .isInstanceOf(BirdException.Unreachable.class);
  }

  @Test
  void anyBytesEndInATypedFailure() throws Exception {
    Path socket = folder.resolve("s");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      Seeded.forAll(
          100,
          random -> {
            byte[] bytes = new byte[random.nextInt(400)];
            random.nextBytes(bytes);
            byte[] greeting =
                random.nextBoolean()
                    ? "0001 BIRD ready.\n".getBytes(StandardCharsets.US_ASCII)
                    : new byte[0];
            Thread other = Thread.ofVirtual().start(() -> serve(server, greeting, bytes));
            try (BirdControl control = BirdControl.connect(socket, SHORT)) {
              control.command("show status");
            } catch (BirdException _) {
              // The only kind of failure there is.
            }
            other.join();
          });
    }
  }

  private static void serve(ServerSocketChannel server, byte[] greeting, byte[] bytes) {
    try (SocketChannel connection = server.accept()) {
      connection.write(ByteBuffer.wrap(greeting));
      connection.write(ByteBuffer.wrap(bytes));
    } catch (IOException _) {
      // The other side has had enough.
    }
  }
}

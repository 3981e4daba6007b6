package io.ocicat.netlink.linux;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sockets that were open before the process started. */
class SocketActivationTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final String OWN_PID = Long.toString(ProcessHandle.current().pid());

  @TempDir Path directory;

  @Test
  void connectionsMadeBeforeTheServiceStartedAreServed() throws IOException {
    Path calls = directory.resolve("calls");
    Path metrics = directory.resolve("metrics");
    List<String> argv = new ArrayList<>();
    argv.add(NativeProgram.compile("activate", directory).toString());
    argv.addAll(List.of("calls:metrics", calls.toString(), metrics.toString()));
    argv.addAll(OtherJvm.commandLine(Service.class));

    try (Background service = Command.of(argv).start()) {
      Eventually.await("the second socket", LONG, () -> metrics.toFile().exists());
      assertThat(ask(metrics)).isEqualTo("metrics");
      assertThat(ask(calls)).isEqualTo("calls");
      assertThat(service.await(LONG).stdout()).isEqualTo("children inherit nothing\n");
    }
  }

  private static String ask(Path path) {
    try (UnixSocket socket = UnixSocket.connect(path, SocketType.STREAM, LONG)) {
      return new String(socket.receive(100, 0, LONG).orElseThrow().bytes(), UTF_8);
    }
  }

  /** Runs in a separate JVM: sends each client the name of the socket it came through. */
  static final class Service {
    public static void main(String[] args) {
      List<SocketActivation.Socket> sockets = SocketActivation.take(System.getenv());
      boolean unshared =
          sockets.stream()
              .allMatch(socket -> Kernel.call(Syscall.FCNTL, socket.fd().number(), 1) == 1);
      for (SocketActivation.Socket socket : sockets.reversed()) {
        try (UnixListener listener = UnixListener.adopt(socket.fd());
            UnixSocket client = listener.accept(LONG).orElseThrow()) {
          client.send(socket.name().getBytes(UTF_8), LONG);
        }
      }
      System.out.println(unshared ? "children inherit nothing" : "children inherit sockets");
    }
  }

  @Test
  void nothingAnnouncedIsNothingTaken() {
    assertThat(SocketActivation.take(Map.of())).isEmpty();
    assertThat(SocketActivation.take(Map.of("LISTEN_PID", "1", "LISTEN_FDS", "1"))).isEmpty();
  }

  @Test
  void contradictionsAreRefused() {
    assertThatThrownBy(() -> SocketActivation.take(Map.of("LISTEN_PID", OWN_PID)))
        .hasMessage("LISTEN_FDS \"\" is not a number of sockets from 1 to 1024");
    assertThatThrownBy(
            () -> SocketActivation.take(Map.of("LISTEN_PID", OWN_PID, "LISTEN_FDS", "-1")))
        .hasMessage("LISTEN_FDS \"-1\" is not a number of sockets from 1 to 1024");
    assertThatThrownBy(
            () ->
                SocketActivation.take(
                    Map.of("LISTEN_PID", OWN_PID, "LISTEN_FDS", "2", "LISTEN_FDNAMES", "a")))
        .hasMessage("LISTEN_FDNAMES \"a\" has 1 names for the 2 sockets of LISTEN_FDS");
  }
}

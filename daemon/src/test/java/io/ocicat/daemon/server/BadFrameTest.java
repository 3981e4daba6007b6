package io.ocicat.daemon.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.daemon.CallLog;
import io.ocicat.daemon.Daemon;
import io.ocicat.daemon.call.OurExecutables;
import io.ocicat.daemon.state.BootId;
import io.ocicat.daemon.state.Folders;
import io.ocicat.daemon.state.State;
import io.ocicat.daemon.trace.CallHistory;
import io.ocicat.daemon.wire.Answer;
import io.ocicat.netlink.linux.Received;
import io.ocicat.netlink.linux.SocketType;
import io.ocicat.netlink.linux.UnixSocket;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BadFrameTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  /** A shim of another version hears it and makes the call itself; silence would fail the call. */
  @Test
  void whoSpeaksAnotherProtocolIsSentAwayWithTheReason(@TempDir Path directory) throws Exception {
    Folders folders = new Folders(directory.resolve("run"), directory.resolve("state"));
    State state = new State(folders, BootId.current());
    CallLog log = new CallLog(_ -> {}, new CallHistory());
    try (Daemon daemon =
        Daemon.listen(
            state,
            folders,
            OurExecutables.none(),
            Optional.empty(),
            false,
            log,
            Clock.systemUTC())) {
      daemon.server().start();
      try (UnixSocket socket = UnixSocket.connect(folders.socket(), SocketType.STREAM, LIMIT)) {
        socket.send(new byte[100], LIMIT);
        Received answer = socket.receive(1000, 0, LIMIT).orElseThrow();
        assertThat(Answer.parse(answer.bytes()))
            .isEqualTo(new Answer.Declined("this is no frame of ocicat's"));
      }
      assertThat(daemon.server().drain(LIMIT)).isTrue();
    }
  }
}

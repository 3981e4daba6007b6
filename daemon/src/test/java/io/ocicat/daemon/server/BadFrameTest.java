package io.ocicat.daemon.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.BootId;
import io.ocicat.daemon.CallLog;
import io.ocicat.daemon.Daemon;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.daemon.trace.CallHistory;
import io.ocicat.daemon.wire.WireReply;
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

  /**
   * A shim of another version gets a reply and makes the call itself; silence would fail the call.
   */
  @Test
  void whoSpeaksAnotherProtocolIsSentAwayWithTheReason(@TempDir Path directory) throws Exception {
    StateFolders folders = new StateFolders(directory.resolve("run"), directory.resolve("state"));
    DaemonState state = new DaemonState(folders, BootId.current());
    CallLog log = new CallLog(_ -> {}, new CallHistory());
    try (Daemon daemon =
        Daemon.listen(
            state,
            folders,
            PluginExecutables.none(),
            Optional.empty(),
            false,
            log,
            Clock.systemUTC())) {
      daemon.server().start();
      try (UnixSocket socket = UnixSocket.connect(folders.socket(), SocketType.STREAM, LIMIT)) {
        socket.send(new byte[100], LIMIT);
        Received answer = socket.receive(1000, 0, LIMIT).orElseThrow();
        assertThat(WireReply.parse(answer.bytes()))
            .isEqualTo(new WireReply.Declined("this is not an ocicat frame"));
      }
      assertThat(daemon.server().drain(LIMIT)).isTrue();
    }
  }
}

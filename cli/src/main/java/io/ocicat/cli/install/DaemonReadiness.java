package io.ocicat.cli.install;

import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.daemon.wire.DaemonClient;
import io.ocicat.daemon.wire.FilesystemView;
import io.ocicat.daemon.wire.WireException;
import io.ocicat.daemon.wire.WireReply;
import io.ocicat.daemon.wire.WireRequest;
import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.NetlinkException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Finds out whether ocicatd serves calls, by making one that changes nothing. It begins to serve
 * once it has recovered, so a reply means that it is ready.
 */
record DaemonReadiness(Path socket) {
  private static final Duration PAUSE = Duration.ofMillis(50);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(2);

  /** Waits for it. Returns why it is not ready by then; empty when it is. */
  Optional<String> await(Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    while (true) {
      Optional<String> obstacle = probe();
      if (obstacle.isEmpty() || System.nanoTime() >= deadline) {
        return obstacle;
      }
      try {
        Thread.sleep(PAUSE);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        return obstacle;
      }
    }
  }

  private Optional<String> probe() {
    try (WireRequest question =
        new WireRequest(
            "loopback",
            Map.of(CniEnvironment.COMMAND, "VERSION"),
            new byte[0],
            ANSWER_LIMIT,
            System.nanoTime(),
            FilesystemView.own(),
            Optional.of(Fd.open(Path.of("/proc/self/ns/net"), Fd.O_RDONLY, 0)),
            Optional.empty())) {
      return switch (new DaemonClient(socket, ANSWER_LIMIT).ask(question)) {
        case WireReply.Done done when done.reply().exitCode() != 0 ->
            Optional.of("it answers VERSION with exit code " + done.reply().exitCode());
        // It serves, just not callers that see the same files as we do: runtimes need not be among
        // them.
        case WireReply.Done _, WireReply.Declined _ -> Optional.empty();
        case WireReply.Working _ -> Optional.of("it does not finish a VERSION call");
      };
    } catch (NetlinkException | WireException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }
}

package io.ocicat.cli;

import io.ocicat.daemon.CallLog;
import io.ocicat.daemon.Daemon;
import io.ocicat.daemon.call.OurExecutables;
import io.ocicat.daemon.state.BootId;
import io.ocicat.daemon.state.Folders;
import io.ocicat.daemon.state.State;
import io.ocicat.daemon.trace.CallHistory;
import io.ocicat.netlink.linux.SocketActivation;
import io.ocicat.netlink.linux.UnixListener;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/** {@code ocicat daemon}: ocicatd in the foreground. */
@Command(
    name = "daemon",
    description = "Serve plugin calls until told to stop (SIGTERM finishes those under way).",
    footer = {
      "",
      "Listens at <run directory>/ocicatd.sock, or on the socket that systemd hands over, and tells systemd when it"
          + " serves calls. First it finishes what calls left that were killed. One line for each call goes to standard"
          + " error.",
      "",
      "OCICAT_RUN_DIR    socket, journal and spool (default: /run/ocicat)",
      "OCICAT_STATE_DIR  what is attached and installed (default: /var/lib/ocicat)"
    },
    mixinStandardHelpOptions = true)
final class DaemonCommand implements Callable<Integer> {
  @Option(
      names = "--take-over",
      description = "Replace a daemon that runs; no call fails meanwhile.")
  private boolean takeOver;

  @Override
  public Integer call() throws InterruptedException {
    Map<String, String> environment = System.getenv();
    Folders folders = Folders.of(environment);
    CallLog log = new CallLog(System.err::println, new CallHistory());
    Optional<UnixListener> inherited =
        SocketActivation.take(environment).stream()
            .findFirst()
            .map(socket -> UnixListener.adopt(socket.fd()));
    State state = new State(folders, BootId.current());
    try (Daemon daemon =
        Daemon.listen(
            state,
            folders,
            OurExecutables.fromDistribution(),
            inherited,
            takeOver,
            log,
            Clock.systemUTC())) {
      // The VM ends when its hooks do, so the hook has to wait; for this method, not for the
      // thread,
      // which may itself be waiting for the VM's end by then.
      CountDownLatch done = new CountDownLatch(1);
      Runtime.getRuntime()
          .addShutdownHook(Thread.ofPlatform().name("stop").unstarted(() -> stop(daemon, done)));
      try {
        daemon.run(Systemd.of(environment, System.err::println));
      } finally {
        done.countDown();
      }
    }
    return ExitCode.OK;
  }

  private static void stop(Daemon daemon, CountDownLatch done) {
    daemon.stop();
    try {
      done.await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}

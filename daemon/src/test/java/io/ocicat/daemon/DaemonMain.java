package io.ocicat.daemon;

import io.ocicat.base.BootId;
import io.ocicat.base.CrashPoints;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.daemon.trace.CallHistory;
import io.ocicat.netlink.linux.FileLock;
import io.ocicat.netlink.linux.SocketActivation;
import io.ocicat.netlink.linux.UnixListener;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** {@code ocicat daemon} without the command line, which lives in a module above this one. */
final class DaemonMain {
  private DaemonMain() {}

  static void main(String[] options) throws InterruptedException {
    StateFolders folders = StateFolders.of(System.getenv());
    String control = System.getProperty("test.control", "");
    CrashPoints points =
        control.isEmpty() ? CrashPoints.IGNORED : new StoppingPoints(Path.of(control));
    DaemonState state =
        new DaemonState(
            folders,
            BootId.read(Path.of(System.getProperty("test.boot", BootId.FILE.toString()))),
            points);
    int years = Integer.getInteger("test.years", 0);
    CallLog log = new CallLog(System.err::println, new CallHistory());
    CountDownLatch done = new CountDownLatch(1);
    Clock clock = Clock.offset(Clock.systemUTC(), Duration.ofDays(365L * years));
    try (PluginExecutables ours = PluginExecutables.fromDistribution();
        Daemon daemon = listen(List.of(options), state, folders, ours, log, clock)) {
      Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> stop(daemon, done)));
      daemon.run();
    } finally {
      done.countDown();
    }
  }

  private static Daemon listen(
      List<String> options,
      DaemonState state,
      StateFolders folders,
      PluginExecutables ours,
      CallLog log,
      Clock clock) {
    if (!options.contains("--on-demand")) {
      boolean takeOver = options.contains("--take-over");
      return Daemon.listen(state, folders, ours, Optional.empty(), takeOver, log, clock);
    }
    List<SocketActivation.Socket> handedOver = SocketActivation.take(System.getenv());
    return Daemon.onDemand(
        state,
        folders,
        ours,
        UnixListener.adopt(handedOver.getFirst().fd(), folders.socket()),
        FileLock.adopt(handedOver.getLast().fd()),
        Duration.ofSeconds(Long.parseLong(System.getenv("OCICAT_ON_DEMAND_IDLE"))),
        log,
        clock);
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

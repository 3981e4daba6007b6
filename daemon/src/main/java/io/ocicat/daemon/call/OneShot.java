package io.ocicat.daemon.call;

import io.ocicat.base.Deadline;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.PluginStdin;
import io.ocicat.cni.exec.Verb;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.daemon.liveness.CniFolders;
import io.ocicat.daemon.state.DaemonState;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Makes one plugin call in its own process, with the same locks and records as the daemon, which
 * may come back at any moment.
 */
public record OneShot(DaemonState state, PluginExecutables ours) {
  /** As much as the shim allows. */
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** Where starting the JVM takes most of the time, the call is still worth trying. */
  private static final Duration SHORTEST = Duration.ofSeconds(5);

  /** When the shim's time is up, in nanoseconds of {@link System#nanoTime}. */
  private static final String DEADLINE = "OCICAT_CALL_DEADLINE";

  private static final Path SELF = Path.of("/proc/self/stat");

  public PluginReply run(
      String name, Plugin plugin, Map<String, String> environment, InputStream stdin)
      throws IOException {
    String command = environment.getOrDefault(CniEnvironment.COMMAND, "");
    // Neither has a use for stdin, which may be a terminal.
    boolean reads = !command.isEmpty() && !command.equals(Verb.VERSION.name());
    PluginCall call =
        PluginCall.own(
            name,
            plugin,
            environment,
            PluginStdin.of(reads ? stdin.readNBytes(CniJson.MAX_BYTES + 1) : new byte[0]),
            Deadline.in(limit(environment)));
    Optional<String> weakness = reads ? state.weakness() : Optional.empty();
    if (weakness.isPresent()) {
      return call.failure(
          new CniException(
              ErrorCode.IO_FAILURE,
              "the records of calls are not safe here: " + weakness.get(),
              "nothing was changed"));
    }
    CallRunner runner =
        new CallRunner(
            state, ours, state::daemonRuns, CniFolders.of(environment), Clock.systemUTC());
    if (state.isShuttingDown()) {
      runner.refuseAdds();
    }
    String parent = parent();
    return runner.run(call, () -> !parent().equals(parent));
  }

  /** What is left of the shim's time, of which a daemon that died may have used most. */
  private static Duration limit(Map<String, String> environment) {
    String deadline = environment.getOrDefault(DEADLINE, "");
    if (!deadline.matches("\\d{1,18}")) {
      return LIMIT;
    }
    Duration left = Duration.ofNanos(Long.parseLong(deadline) - System.nanoTime());
    if (left.compareTo(SHORTEST) < 0) {
      return SHORTEST;
    }
    return left.compareTo(LIMIT) < 0 ? left : LIMIT;
  }

  /** The process that waits for the reply; a different one once that is gone. */
  private static String parent() {
    try {
      String stat = Files.readString(SELF);
      // After the name, which may contain anything: the state, then the parent.
      return stat.substring(stat.lastIndexOf(')') + 1).split(" ", 4)[2];
    } catch (IOException _) {
      return "";
    }
  }
}

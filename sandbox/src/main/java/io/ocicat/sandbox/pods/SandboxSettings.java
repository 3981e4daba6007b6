package io.ocicat.sandbox.pods;

import io.ocicat.base.CrashPoints;
import io.ocicat.sandbox.infra.PodInfra;
import io.ocicat.sandbox.network.ClusterPods;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/**
 * The settings of sandboxes.
 *
 * @param state survives reboots: records, names, checkpoints
 * @param run does not survive reboots: namespaces, locks
 * @param infras what can hold pods; the first is the default
 * @param grace for processes to end by themselves
 * @param cleanUpLimit the timeout for cleaning up after a failed run, independent of the caller
 * @param timeout how long an operation waits for others on the same sandbox
 * @param resolvConf for pods without DNS settings
 */
public record SandboxSettings(
    Path state,
    Path run,
    List<PodInfra> infras,
    ClusterPods cluster,
    Duration grace,
    Duration cleanUpLimit,
    Duration timeout,
    Path resolvConf,
    Clock clock,
    CrashPoints points) {
  public SandboxSettings {
    infras = List.copyOf(infras);
    if (infras.isEmpty()) {
      throw new IllegalArgumentException("nothing can hold pods");
    }
  }

  /** With kubelet's timeouts and the host's resolv.conf. */
  public static SandboxSettings usual(
      Path state, Path run, List<PodInfra> infras, ClusterPods cluster) {
    return new SandboxSettings(
        state,
        run,
        infras,
        cluster,
        Duration.ofSeconds(10),
        Duration.ofSeconds(60),
        Duration.ofSeconds(240),
        Path.of("/etc/resolv.conf"),
        Clock.systemUTC(),
        CrashPoints.IGNORED);
  }

  /** Reports each step's beginning and end. */
  public SandboxSettings points(CrashPoints newPoints) {
    return new SandboxSettings(
        state, run, infras, cluster, grace, cleanUpLimit, timeout, resolvConf, clock, newPoints);
  }

  public SandboxSettings grace(Duration forProcesses) {
    return new SandboxSettings(
        state,
        run,
        infras,
        cluster,
        forProcesses,
        cleanUpLimit,
        timeout,
        resolvConf,
        clock,
        points);
  }
}

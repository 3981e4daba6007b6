package io.ocicat.sandbox.infra;

import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import java.time.Duration;

/** Holds no process: the pod is its network namespace alone, which its pinned name keeps alive. */
public final class NoInfra implements PodInfra {
  public static final String KIND = "none";

  @Override
  public String kind() {
    return KIND;
  }

  @Override
  public void check(PodConfig config) {
    if (!config.sysctls().ofIpc().isEmpty()) {
      throw new SandboxException(
          Reason.INVALID,
          "sysctls %s need an IPC namespace, which a pod without infra process does not have: run it with runc"
              .formatted(config.sysctls().ofIpc().keySet()));
    }
  }

  @Override
  public ProcessId create(Held pod) {
    return ProcessId.NONE;
  }

  @Override
  public void start(Held pod, ProcessId process) {
    // There is nothing to start.
  }

  @Override
  public boolean isRunning(ProcessId process) {
    return true;
  }

  @Override
  public void remove(String id, ProcessId process, Duration grace) {
    // There is nothing to stop.
  }

  @Override
  public boolean holdsNamespaces() {
    return false;
  }

  @Override
  public String cgroup(String id, PodConfig config) {
    return "";
  }
}

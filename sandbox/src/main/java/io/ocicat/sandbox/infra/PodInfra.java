package io.ocicat.sandbox.infra;

import io.ocicat.sandbox.PodConfig;
import java.nio.file.Path;
import java.time.Duration;

/** The process that holds a pod together, or the decision to do without one. Thread-safe. */
public interface PodInfra {
  /**
   * A pod to hold.
   *
   * @param netns the pod's network namespace; empty for the host's
   * @param folder for the files of its own
   */
  record Held(String id, PodConfig config, String netns, Path folder) {}

  /** What is written down, so that whoever comes later has the same. */
  String kind();

  /**
   * Looks at whether such a pod can be held, before anything is made.
   *
   * @throws io.ocicat.sandbox.SandboxException when not
   */
  void check(PodConfig config);

  /** Makes the process, which does not run yet; {@link ProcessId#NONE} when there is none. */
  ProcessId create(Held pod);

  /** Lets it run. */
  void start(Held pod, ProcessId process);

  /** Whether the pod is held. */
  boolean isRunning(ProcessId process);

  /** Ends the process and forgets it; succeeds when there is none. */
  void remove(String id, ProcessId process, Duration grace);

  /** The cgroup its processes are in; empty when none of its own. */
  String cgroup(String id, PodConfig config);
}

package io.ocicat.sandbox.infra;

import io.ocicat.sandbox.PodConfig;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The infra process that keeps a pod's namespaces alive, or the decision to do without one.
 * Thread-safe.
 */
public interface PodInfra {
  /**
   * A pod to hold.
   *
   * @param netns the pod's network namespace; empty for the host's
   * @param folder a directory for its own files
   */
  record Held(String id, PodConfig config, String netns, Path folder) {}

  /** The name in records, so that later processes use the same kind. */
  String kind();

  /**
   * Checks whether such a pod can be held, before anything is created.
   *
   * @throws io.ocicat.sandbox.SandboxException when not
   */
  void check(PodConfig config);

  /** Creates the process without starting it; {@link ProcessId#NONE} when there is none. */
  ProcessId create(Held pod);

  /** Starts the process. */
  void start(Held pod, ProcessId process);

  /** Whether the pod is held. */
  boolean isRunning(ProcessId process);

  /** Ends the process and deletes its state; succeeds when there is none. */
  void remove(String id, ProcessId process, Duration grace);

  /** Whether containers can share its PID, IPC and UTS namespaces. */
  boolean holdsNamespaces();

  /** The cgroup of its processes; empty when it has none of its own. */
  String cgroup(String id, PodConfig config);
}

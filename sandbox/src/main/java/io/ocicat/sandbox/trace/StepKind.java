package io.ocicat.sandbox.trace;

import java.util.Locale;

/** The kinds of steps of an operation on a sandbox. */
public enum StepKind {
  /** createPodSandbox and the other operations as a whole. */
  SANDBOX,
  LOCK,
  NAME,
  RECORD,
  CHECKPOINT,
  LOGS,
  NETNS,
  SYSCTL,
  /** The pod's /dev/shm. */
  SHM,
  /** The infra process of the pod. */
  INFRA,
  CONTAINER,
  RESOLV,
  /** Publishing the pod in the datastore. */
  CLUSTER,
  /** SetUpPod and TearDownPod. */
  NETWORK,
  LOOPBACK,
  /** One plugin call. */
  PLUGIN,
  /** An exchange with the kernel. */
  KERNEL,
  ROLLBACK;

  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}

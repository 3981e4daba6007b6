package io.ocicat.sandbox.trace;

import java.util.Locale;

/** The kinds of work that an operation on a sandbox consists of. */
public enum StepKind {
  /** createPodSandbox, as a whole and its equals for the other operations. */
  SANDBOX,
  LOCK,
  NAME,
  RECORD,
  CHECKPOINT,
  LOGS,
  NETNS,
  SYSCTL,
  /** The process that holds the pod. */
  INFRA,
  CONTAINER,
  RESOLV,
  /** Telling the datastore that there is such a pod. */
  CLUSTER,
  /** SetUpPod and TearDownPod. */
  NETWORK,
  LOOPBACK,
  /** One plugin's turn. */
  PLUGIN,
  /** An exchange with the kernel. */
  KERNEL,
  ROLLBACK;

  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}

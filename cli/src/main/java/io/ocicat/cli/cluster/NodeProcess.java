package io.ocicat.cli.cluster;

import io.ocicat.cli.machine.FinishedCommand;
import java.util.List;

/** Starts and ends {@code ocicat node} on a node of a cluster. */
record NodeProcess(LocalCluster cluster, NamespaceNode node) {

  /**
   * In the background, with its output in a file; returns when it serves. Argument: a file that the
   * network needs for pods.
   */
  private static final String START =
      """
      ! kill -0 "$(cat /run/ocicat-node.pid 2>/dev/null)" 2>/dev/null || exit 0
      [ ! -e /var/log/ocicat-node.log ] || mv /var/log/ocicat-node.log /var/log/ocicat-node.log.1
      setsid ocicat node </dev/null >/var/log/ocicat-node.log 2>&1 &
      pid=$!
      echo $pid >/run/ocicat-node.pid
      for _ in $(seq 1200); do
        grep -q 'serving at ' /var/log/ocicat-node.log && [ -e "$1" ] && exit 0
        kill -0 $pid 2>/dev/null || break
        sleep 0.05
      done
      tail -n 1 /var/log/ocicat-node.log >&2
      exit 1
      """;

  private static final String STOP =
      """
      pid=$(cat /run/ocicat-node.pid 2>/dev/null) || exit 0
      kill -"$1" "$pid" 2>/dev/null || exit 0
      for _ in $(seq 1200); do
        kill -0 "$pid" 2>/dev/null || exit 0
        sleep 0.05
      done
      echo "process $pid does not end" >&2
      exit 1
      """;

  private static final String ALIVE = "kill -0 \"$(cat /run/ocicat-node.pid)\" 2>/dev/null";

  /** Does nothing when it runs. */
  void start() {
    String needed =
        cluster.spec().network().isFlannel() ? ClusterNetwork.SUBNET_FILE : "/run/ocicat-node.pid";
    cluster.run(node, "sh", "-c", START, "sh", needed);
  }

  /** Ends it in order, or at once; what it made in the kernel stays. */
  void stop(boolean kill) {
    cluster.run(node, "sh", "-c", STOP, "sh", kill ? "KILL" : "TERM");
  }

  boolean isAlive() {
    return FinishedCommand.of(cluster.onNode(node, List.of("sh", "-c", ALIVE)), LocalCluster.LIMIT)
            .code()
        == 0;
  }
}

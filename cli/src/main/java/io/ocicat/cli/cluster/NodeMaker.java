package io.ocicat.cli.cluster;

import io.ocicat.cli.machine.MachineException;
import io.ocicat.cli.machine.NamespaceHolder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** Adds nodes and pods to a cluster, and removes them. */
record NodeMaker(LocalCluster cluster) {
  private static final List<String> APPS = List.of("web", "db", "api", "cache");

  /** Arguments: node.sh, the distribution, whether the datastore is shared; then name, number, … */
  private static final String CREATE =
      """
      script=$1 home=$2 shared=$3
      shift 3
      cd /run/ocicat-cluster/nodes
      while [ $# -gt 0 ]; do
        mkdir "$1"
        setsid unshare --mount --net --uts --pid --mount-proc --fork --kill-child \\
          sh -c "$script" ocicat-node "$home" "$1" "$shared" </dev/null >"$1/made.log" 2>&1 &
        holder=$!
        until [ -e "$1/run/made" ]; do
          kill -0 $holder 2>/dev/null || { cat "$1/made.log" >&2; exit 1; }
          sleep 0.01
        done
        echo "$2" >"$1/number"
        echo $holder >"$1/holder"
        shift 2
      done
      """;

  /** Arguments: path, content, … */
  private static final String WRITE =
      """
      while [ $# -gt 0 ]; do
        mkdir -p "${1%/*}"
        printf %s "$2" >"$1"
        shift 2
      done
      """;

  /** Argument: with how many others each node has a session. */
  private static final String AWAIT_SESSIONS =
      """
      for _ in $(seq 600); do
        established=$(birdc -s /run/ocicat/bird.ctl show protocols 2>/dev/null | grep -c 'BGP .*Established') || true
        [ "$established" -lt "$1" ] || exit 0
        sleep 0.1
      done
      echo "$established of $1 BGP sessions are established: see birdc -s /run/ocicat/bird.ctl show protocols, and /var/log/ocicat-node.log" >&2
      exit 1
      """;

  /** Its standard output is what etcd says; 20 s are enough for a busy machine. */
  private static final String START_ETCD =
      """
      folder=/run/ocicat-cluster/etcd
      mkdir -p "$folder"
      setsid etcd --data-dir "$folder/data" --listen-client-urls "http://$1:2379" \\
        --advertise-client-urls "http://$1:2379" --listen-peer-urls "http://127.0.0.1:2380" \\
        --unsafe-no-fsync </dev/null >"$folder/log" 2>&1 &
      for _ in $(seq 1200); do
        grep -q 'ready to serve client requests' "$folder/log" && exit 0
        kill -0 $! 2>/dev/null || break
        sleep 0.05
      done
      tail -n 1 "$folder/log" >&2
      exit 1
      """;

  private static final String REMOVE =
      """
      kill -KILL "$2"
      while kill -0 "$2" 2>/dev/null; do sleep 0.01; done
      rm -rf "/run/ocicat-cluster/nodes/$1"
      """;

  /** The names of the nodes that a cluster begins with. */
  static String name(int number) {
    return "node-" + number;
  }

  /** Creates nodes, connects them, and prepares them for {@code ocicat node}. */
  List<NamespaceNode> create(List<String> names) {
    int next = 1 + cluster.nodes().stream().mapToInt(NamespaceNode::number).max().orElse(0);
    List<String> command = new ArrayList<>(List.of("sh", "-ec", CREATE, "sh"));
    command.add(NamespaceHolder.script(NodeMaker.class, "node.sh"));
    command.add(cluster.installed().home().toString());
    command.add(cluster.spec().datastore() == ClusterDatastore.EMBEDDED ? "yes" : "no");
    for (String name : names) {
      command.addAll(List.of(name, Integer.toString(next++)));
    }
    cluster.runOnUnderlay(command.toArray(String[]::new));
    List<String> wire = new ArrayList<>(List.of("ocicat", "cluster", "up", "--wire"));
    wire.addAll(List.of("--network", cluster.spec().network().label()));
    if (cluster.spec().dualStack()) {
      wire.add("--dual-stack");
    }
    cluster.runOnUnderlay(wire.toArray(String[]::new));
    List<NamespaceNode> nodes = names.stream().map(cluster::node).toList();
    List<String> write = new ArrayList<>(List.of("sh", "-ec", WRITE, "sh"));
    cluster
        .spec()
        .network()
        .files(cluster.spec())
        .forEach((path, content) -> write.addAll(List.of(path, content)));
    nodes.forEach(node -> cluster.run(node, write.toArray(String[]::new)));
    return nodes;
  }

  void startEtcd() {
    cluster.runOnUnderlay("sh", "-c", START_ETCD, "sh", Underlay.ROUTER);
  }

  /** Starts {@code ocicat node} on nodes, and waits until packets find the way between them. */
  void start(List<NamespaceNode> nodes) {
    atOnce(nodes, node -> new NodeProcess(cluster, node).start());
    if (cluster.spec().network() == ClusterNetwork.CALICO_BGP) {
      long serving =
          cluster.nodes().stream().filter(node -> new NodeProcess(cluster, node).isAlive()).count();
      long sessions = (serving - 1) * (cluster.spec().dualStack() ? 2 : 1);
      atOnce(
          nodes,
          node -> cluster.run(node, "sh", "-c", AWAIT_SESSIONS, "sh", Long.toString(sessions)));
    }
  }

  /** Runs the pods that each node begins with. */
  void runPods(List<NamespaceNode> nodes, int pods) {
    atOnce(
        nodes,
        node -> {
          for (int i = 0; i < pods; i++) {
            String app = app(i);
            cluster.run(
                node,
                "ocicat",
                "pod",
                "run",
                app + "-" + node.number(),
                "--infra",
                "none",
                "--label",
                "app=" + app);
          }
        });
  }

  /** Two pods of different nodes with the same label are of the same application. */
  private static String app(int i) {
    int round = i / APPS.size();
    return APPS.get(i % APPS.size()) + (round == 0 ? "" : Integer.toString(round + 1));
  }

  /** Removes a node with everything on it, also from the datastore. */
  void remove(NamespaceNode node) {
    cluster.run(node, "ocicat", "pod", "rm", "--all");
    new NodeProcess(cluster, node).stop(false);
    cluster.run(node, "ocicat", "delete", "node", node.name(), "--skip-not-exists");
    cluster.runOnUnderlay("sh", "-ec", REMOVE, "sh", node.name(), Long.toString(node.holder()));
  }

  /** For all nodes at the same time; throws the first failure after all have ended. */
  static void atOnce(List<NamespaceNode> nodes, Consumer<NamespaceNode> work) {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      nodes.forEach(node -> all.add(threads.submit(() -> work.accept(node))));
      for (Future<?> one : all) {
        one.get();
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MachineException("interrupted", e);
    }
  }
}

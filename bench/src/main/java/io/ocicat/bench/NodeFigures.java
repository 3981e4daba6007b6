package io.ocicat.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.ns.NamedNetNs;
import io.ocicat.netlink.ns.NetNs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * {@code ocicat node} of the distribution as a process, in a cluster of many nodes in the embedded
 * datastore, which every namespace of the machine reaches: how long until it is ready, its resident
 * memory, and ADDs that wait until the agent has everything in force, four at a time, as the
 * kubelet makes them.
 *
 * <p>Usage: {@code NodeFigures distribution [nodes [adds]]}
 */
final class NodeFigures {
  private static final int AT_ONCE = 4;
  private static final String NAME = "ocicat-bench-" + ProcessHandle.current().pid();

  private final Path home;
  private final Path folder;
  private final AgentScene scene;

  private NodeFigures(Path home, Path folder, AgentScene scene) {
    this.home = home;
    this.folder = folder;
    this.scene = scene;
  }

  public static void main(String[] args) throws Exception {
    Path home = Path.of(args[0]).toRealPath();
    int nodes = args.length > 1 ? Integer.parseInt(args[1]) : 1000;
    int adds = args.length > 2 ? Integer.parseInt(args[2]) : 40;
    Path folder = Files.createTempDirectory(Path.of("/dev/shm"), "ocicat-node-");
    NamedNetNs namespaces = NamedNetNs.standard();
    List<String> names = new ArrayList<>();
    try (NetNs host = create(namespaces, names, NAME);
        Datastore datastore =
            Datastores.openOwn(new DatastoreConfig.Embedded(folder.resolve("state")))) {
      for (int i = 0; i < adds; i++) {
        create(namespaces, names, NAME + "-" + i).close();
      }
      AgentScene scene = new AgentScene(datastore, host, folder, nodes);
      new NodeFigures(home, folder, scene).run(nodes, adds);
    } finally {
      names.forEach(namespaces::remove);
    }
  }

  private static NetNs create(NamedNetNs namespaces, List<String> names, String name) {
    NetNs made = namespaces.create(name);
    names.add(name);
    return made;
  }

  private void run(int nodes, int adds) throws Exception {
    try (NetlinkSocket net = NetlinkSocket.open(Protocol.ROUTE, scene.host())) {
      scene.prepare(net);
    }
    Process node = start();
    try {
      long start = System.nanoTime();
      AgentScene.await(() -> isReady(node), "ocicat node, see " + folder.resolve("log"));
      AgentFigures.print(
          "ocicat node ready, %d nodes with 2 blocks each".formatted(nodes),
          System.nanoTime() - start,
          "Felix 1.6–3.6 s at 1,000");
      memory(node, "ready");
      for (int round = 1; round <= 2; round++) {
        start = System.nanoTime();
        atOnce("ADD", adds, node);
        AgentFigures.print(
            "%d ADDs that wait, %d at a time, round %d".formatted(adds, AT_ONCE, round),
            System.nanoTime() - start,
            "Felix 6.6 s with our plugin, 15.1 s with Go's, 40 ADDs");
        atOnce("DEL", adds, node);
      }
      memory(node, "after the calls");
    } finally {
      node.destroy();
      node.waitFor();
    }
  }

  /** In a mount namespace, because the MTU's file is always in /var/lib/calico. */
  private Process start() throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
                "nsenter",
                "--net=/run/netns/" + NAME,
                "unshare",
                "--mount",
                "sh",
                "-c",
                "mkdir -p /var/lib/calico && mount -t tmpfs none /var/lib/calico && exec \"$0\""
                    + " node",
                home.resolve("bin/ocicat").toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile());
    builder.environment().putAll(environment());
    return builder.start();
  }

  private Map<String, String> environment() {
    return Map.of(
        "OCICAT_RUN_DIR",
        folder.resolve("run").toString(),
        "OCICAT_STATE_DIR",
        folder.resolve("state").toString(),
        "DATASTORE_TYPE",
        "embedded",
        "NODENAME",
        AgentScene.LOCAL,
        "IP",
        "172.16.0.1/12",
        "NO_DEFAULT_POOLS",
        "true",
        "FELIX_ENDPOINTSTATUSPATHPREFIX",
        folder.toString());
  }

  private boolean isReady(Process node) {
    if (!node.isAlive()) {
      throw new IllegalStateException("ocicat node has ended, see " + folder.resolve("log"));
    }
    try {
      Path report = folder.resolve("run/agent.json");
      return Files.exists(report)
          && Files.readString(report).replace(" ", "").contains("\"ready\":true")
          && Files.readString(folder.resolve("log")).contains("serving");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void memory(Process node, String when) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/%d/status".formatted(node.pid())))) {
      if (line.startsWith("VmRSS:") || line.startsWith("VmHWM:")) {
        System.out.printf(
            "%-60s %8d MiB  Felix 92, peak 100 MB, without plugins (target 150)%n",
            "resident memory %s, %s".formatted(line.startsWith("VmHWM:") ? "at most" : "now", when),
            Long.parseLong(line.replaceAll("\\D", "")) >> 10);
      }
    }
  }

  private void atOnce(String verb, int count, Process node) throws Exception {
    List<Callable<String>> calls = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int pod = i;
      calls.add(() -> call(verb, pod, node));
    }
    try (ExecutorService workers = Executors.newFixedThreadPool(AT_ONCE)) {
      for (Future<String> call : workers.invokeAll(calls)) {
        call.get();
      }
    }
  }

  /** Where the process is: the daemon declines callers that see other files than it does. */
  private String call(String verb, int pod, Process node) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
                "nsenter",
                "--target=" + node.pid(),
                "--mount",
                "--net",
                home.resolve("cni/calico").toString())
            .redirectErrorStream(true);
    builder.environment().putAll(environment());
    builder
        .environment()
        .putAll(
            Map.of(
                "CNI_COMMAND",
                verb,
                "CNI_CONTAINERID",
                "c" + pod,
                "CNI_IFNAME",
                "eth0",
                "CNI_NETNS",
                "/run/netns/%s-%d".formatted(NAME, pod),
                "CNI_PATH",
                home.resolve("cni").toString(),
                "CNI_ARGS",
                "K8S_POD_NAME=add-%d;K8S_POD_NAMESPACE=bench".formatted(pod)));
    Process process = builder.start();
    process.getOutputStream().write(configuration().getBytes(UTF_8));
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    if (process.waitFor() != 0 || said.contains("was not in place")) {
      throw new IllegalStateException("%s of pod %d: %s".formatted(verb, pod, said));
    }
    return said;
  }

  private String configuration() {
    return """
    {"cniVersion":"1.0.0","name":"pods","type":"calico","datastore_type":"embedded",
     "nodename":"%s","nodename_file_optional":true,"log_level":"warning",
     "policy":{"type":"k8s"},"policy_setup_timeout_seconds":30,
     "endpoint_status_dir":"%s","ipam":{"type":"calico-ipam"}}
    """
        .formatted(AgentScene.LOCAL, folder.resolve("endpoint-status"));
  }
}

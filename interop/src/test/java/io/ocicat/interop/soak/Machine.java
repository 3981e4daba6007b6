package io.ocicat.interop.soak;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Etcd;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The soak's machine: networks, a daemon, an etcd; and how each of them is disturbed. The folder of
 * records is a small separate disk.
 *
 * @see Soak
 */
final class Machine implements AutoCloseable {
  static final Path GO = Path.of("/usr/lib/cni");
  static final Path OURS = Path.of("/run/bin");
  static final Path CONF = Path.of("/run/net.d");
  static final String CALICO = "k8s-pod-network";

  /** What calico/node would have made. */
  private static final String RESOURCES =
      """
      apiVersion: projectcalico.org/v3
      kind: IPPool
      metadata: {name: pods}
      spec: {cidr: 10.65.0.0/16}
      ---
      apiVersion: projectcalico.org/v3
      kind: Node
      metadata: {name: node-a}
      spec: {}
      """;

  private static final String READY_KEY =
      "/calico/resources/v3/projectcalico.org/clusterinformations/default";

  private static final String READY =
      """
      {"apiVersion": "projectcalico.org/v3", "kind": "ClusterInformation", "spec": {"datastoreReady": true},
       "metadata": {"name": "default", "uid": "5b1c4f0e-0000-4000-8000-000000000001"}}
      """;

  private static final Duration SOON = Duration.ofMinutes(2);
  private static final Path BALLAST = Path.of("/var/lib/ocicat/ballast");

  private final String ocicat;
  private final Etcd etcd = new Etcd(Path.of("/run"));
  private @Nullable Background daemon;
  private volatile int generation;

  Machine(Path distribution) throws IOException {
    ocicat = distribution.resolve("bin/ocicat").toString();
    Shell.run(
        """
        mkdir -p /run/bin /run/net.d /var/lib/ocicat
        mount -t tmpfs -o size=8m tmpfs /var/lib/ocicat
        """);
    rename();
    etcd.start();
    startDaemon();
    Files.writeString(Path.of("/run/resources.yaml"), RESOURCES);
    Command.of(ocicat, "apply", "-f", "/run/resources.yaml")
        .env("DATASTORE_TYPE", "etcdv3")
        .env("ETCD_ENDPOINTS", etcd.url())
        .limit(SOON)
        .run();
    etcd.post(
        "kv/put", "{\"key\": \"%s\", \"value\": \"%s\"}".formatted(code(READY_KEY), code(READY)));
    install();
  }

  private void install() {
    Command.of(
            ocicat,
            "install",
            "--calico",
            "--bin-dir",
            OURS.toString(),
            "--conf-dir",
            CONF.toString(),
            "--wait",
            "60")
        .env("DATASTORE_TYPE", "etcdv3")
        .env("ETCD_ENDPOINTS", etcd.url())
        .env("NODENAME", "node-a")
        .limit(SOON)
        .run();
  }

  /** The bridge network's present name. */
  String bridge() {
    return "blue" + generation;
  }

  /** The bridge network gets another name, and other addresses. */
  void rename() throws IOException {
    int next = generation + 1;
    String text =
        """
        {"cniVersion": "1.0.0", "name": "blue%1$d", "plugins": [
          {"type": "bridge", "bridge": "blue%1$d", "isDefaultGateway": true, "ipMasq": true,
           "ipam": {"type": "host-local", "subnet": "10.%2$d.0.0/24"}},
          {"type": "portmap", "capabilities": {"portMappings": true}},
          {"type": "firewall"}]}
        """
            .formatted(next, 70 + next % 100);
    Files.writeString(CONF.resolve("20-blue%d.conflist".formatted(next)), text);
    int before = generation;
    generation = next;
    Files.deleteIfExists(CONF.resolve("20-blue%d.conflist".formatted(before)));
  }

  private synchronized void startDaemon() {
    Background started = Command.of(ocicat, "daemon").start();
    daemon = started;
    Eventually.await(
        "ocicatd to serve: " + started.stderr(), SOON, () -> started.stderr().contains("serving"));
  }

  synchronized void killDaemon() {
    stopDaemon("KILL");
    startDaemon();
  }

  private void stopDaemon(String signal) {
    Background running = daemon;
    if (running != null) {
      Shell.run("kill -%s %d".formatted(signal, running.pid()));
      running.await(SOON);
    }
  }

  void stopEtcd(Duration pause) throws InterruptedException {
    etcd.kill();
    Thread.sleep(pause);
    etcd.start();
  }

  /** For a while nothing can be written to the folder of records. */
  void fillDisk(Duration pause) throws InterruptedException {
    try {
      Shell.attempt("head -c 9m /dev/zero >%s 2>/dev/null".formatted(BALLAST));
      Thread.sleep(pause);
    } finally {
      Shell.run("rm -f " + BALLAST);
    }
  }

  /** For a while the daemon can open almost nothing. */
  synchronized void useUpDescriptors(Duration pause) throws InterruptedException {
    Background running = daemon;
    if (running == null) {
      return;
    }
    long pid = running.pid();
    try {
      Shell.run("prlimit --pid %1$d --nofile=$(($(ls /proc/%1$d/fd | wc -l) + 2)):".formatted(pid));
      Thread.sleep(pause);
    } finally {
      Shell.attempt(
          "prlimit --pid %1$d --nofile=$(awk '/open files/ {print $5}' /proc/%1$d/limits):"
              .formatted(pid));
    }
  }

  /** Everything that runs belongs to the Go plugins from now on. */
  synchronized Output handOver() {
    stopDaemon("TERM");
    try {
      return Command.of(ocicat, "uninstall", "--hand-over", "--force", "--to", GO.toString())
          .env("OCICAT_STATE_DIR", "/var/lib/ocicat")
          .limit(SOON)
          .attempt();
    } finally {
      startDaemon();
      install();
    }
  }

  /** What is left of containers, line by line. */
  String leftovers() {
    return Shell.output(
            """
            find /var/lib/cni /run/cni /var/lib/ocicat/attachments /run/ocicat/journal /run/ocicat/spool -type f 2>/dev/null |
              grep -v 'last_reserved\\|lock$'
            ip -br link | grep -E '^(veth|cali|bwp)'
            nft list ruleset 2>/dev/null | grep -E 'soak-|CNI-DN-|CNI-[0-9a-f]{24}'
            ls /run/netns
            """)
        + allocations();
  }

  private String allocations() {
    StringBuilder keys = new StringBuilder();
    String all =
        "{\"key\": \"%s\", \"range_end\": \"%s\", \"keys_only\": true}"
            .formatted(code("/"), code("0"));
    for (JsonNode kv : etcd.post("kv/range", all).path("kvs")) {
      String key = new String(Base64.getDecoder().decode(kv.path("key").asString()), UTF_8);
      if (key.contains("/handle/") || key.contains("workloadendpoint")) {
        keys.append(key).append('\n');
      }
    }
    return keys.toString();
  }

  private static String code(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
  }

  @Override
  public synchronized void close() {
    if (daemon != null) {
      daemon.close();
    }
    etcd.close();
  }
}

package io.ocicat.interop.soak;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Etcd;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the soak's containers need: networks, a daemon, an etcd; and how each of them is disturbed.
 * The folder of records is a small disk of its own.
 *
 * @see Soak
 */
final class Machine implements AutoCloseable {
  static final Path GO = Path.of("/usr/lib/cni");
  static final Path OURS = Path.of("/run/bin");
  static final Path CONF = Path.of("/run/net.d");
  static final String CALICO = "k8s-pod-network";

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
        .env("CALICO_IPV4POOL_CIDR", "10.65.0.0/16")
        .env("CALICO_IPV4POOL_NAT_OUTGOING", "false")
        .env("NODENAME", "node-a")
        .limit(SOON)
        .run();
  }

  /** The bridge network's name by now. */
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
    etcd.restart();
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

  /** For a while the daemon can open next to nothing. */
  synchronized void useUpDescriptors(Duration pause) throws InterruptedException {
    Background running = daemon;
    if (running == null) {
      return;
    }
    long pid = running.pid();
    try {
      Shell.run("prlimit --pid %1$d --nofile=$(($(ls /proc/%1$d/fd | wc -l) + 2)):65536".formatted(pid));
      Thread.sleep(pause);
    } finally {
      Shell.attempt("prlimit --pid %d --nofile=65536:65536".formatted(pid));
    }
  }

  /** All that runs is the Go plugins' from now on. */
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
        ETCDCTL_API=3 etcdctl --endpoints %s get --prefix --keys-only / | grep -E 'handle|workloadendpoint'
        ls /run/netns
        """
            .formatted(etcd.url()));
  }

  @Override
  public synchronized void close() {
    if (daemon != null) {
      daemon.close();
    }
    etcd.close();
  }

}

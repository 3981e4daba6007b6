package io.ocicat.interop;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A test's host that is a separate machine as far as files go, too: where runtimes and plugins have
 * theirs. A command sees our distribution as {@code ocicat}, and no daemon unless one was started.
 */
final class Node implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private static final String MACHINE =
      """
      mkdir -p "$1"
      mount -t tmpfs tmpfs "$1"
      cp -a /etc "$1/etc"
      mount --bind "$1/etc" /etc
      rm -rf /etc/cni
      for folder in /opt /run /var/lib /var/log; do mount -t tmpfs tmpfs $folder; done
      mkdir -p /opt/cni/bin /etc/cni/net.d
      ln -s "$2" /opt/ocicat
      ip link set lo up
      echo ready
      exec sleep 10000
      """;

  private final Background machine;

  private Node(Background machine) {
    this.machine = machine;
  }

  static Node start(Host host, Path directory) throws IOException {
    Path launcher = PluginDirectory.withShims(directory).resolve("bin/ocicat");
    Background machine =
        host.command(
                "unshare",
                "--mount",
                "--propagation",
                "private",
                "sh",
                "-ec",
                MACHINE,
                "machine",
                directory.resolve("files").toString(),
                launcher.toString())
            .start();
    Eventually.await("the machine is there", LIMIT, () -> machine.stdout().contains("ready"));
    return new Node(machine);
  }

  /** Types lines into a shell. */
  Command typing(String script) {
    return Command.of(
            "nsenter",
            "-t",
            String.valueOf(machine.pid()),
            "-m",
            "-n",
            "bash",
            "-ec",
            "ocicat() { /opt/ocicat \"$@\"; }\n" + script)
        .env("OCICAT_ON_DEMAND", "0")
        .env("CNI_PATH", "/opt/cni/bin")
        .limit(LIMIT);
  }

  String bash(String script) {
    return typing(script).run().stdout();
  }

  Output attempt(String script) {
    return typing(script).attempt();
  }

  Background startDaemon() {
    Background daemon = typing("exec /opt/ocicat daemon").start();
    Eventually.await(
        "ocicatd to serve: " + daemon.stderr(),
        LIMIT,
        () -> daemon.stderr().contains("serving at /run/ocicat/ocicatd.sock"));
    return daemon;
  }

  /** Everything that containers leave traces in, except which address was allocated last. */
  String footprint() {
    return bash(
        """
        nft list ruleset 2>/dev/null | sed 's/packets [0-9]* bytes [0-9]*//'
        ip -br link | sed 's/[@ ].*//'
        for folder in /var/lib/cni /run/cni /var/lib/ocicat/attachments; do
          [ ! -d $folder ] || find $folder -type f | grep -v 'last_reserved\\|lock$' || true
        done
        """);
  }

  @Override
  public void close() {
    machine.close();
  }
}

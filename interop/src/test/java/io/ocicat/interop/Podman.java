package io.ocicat.interop;

import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Podman on a test's host, with its own processes, mounts and state: containers, locks, leases and
 * caches are in private file systems, and all of it ends when this is closed. Needs root on the
 * machine: podman behaves differently, without CNI, for other users.
 */
final class Podman implements AutoCloseable {
  /** The contents of containers. */
  static final String IMAGE = "busybox";

  private static final List<String> OPTIONS =
      List.of(
          "--root",
          "/var/lib/podman",
          "--runroot",
          "/run/podman",
          "--network-config-dir",
          "/var/lib/networks",
          "--storage-driver",
          "vfs");

  private static final Duration LIMIT = Duration.ofMinutes(2);

  /** Reaps what podman leaves to it, and lives until it is killed. */
  private static final String INIT =
      """
      mount --make-rprivate /
      mount -t proc proc /proc
      mount -t tmpfs -o mode=755 tmpfs /run
      mount -t tmpfs -o mode=755 tmpfs /var/lib
      mount -t tmpfs tmpfs /dev/shm
      touch "$1/ready"
      while :; do sleep 1000 & wait; done
      """;

  /** Makes the file system of an image. */
  private static final String BUILD =
      """
      image=$1/image
      shift
      mkdir -p "$image/bin" "$image/www" "$image/proc" "$image/sys" "$image/dev"
      cp /bin/busybox "$image/bin/"
      for name in sh sleep httpd wget ping ip; do ln -s busybox "$image/bin/$name"; done
      echo hello >"$image/www/index.html"
      tar -C "$image" -c . | podman "$@"
      """;

  private final Host host;
  private final Path home;
  private final Background init;
  private final long pid;

  private Podman(Host host, Path home, Background init, long pid) {
    this.host = host;
    this.home = home;
    this.init = init;
    this.pid = pid;
  }

  /** Starts with a host where podman has never been. */
  static Podman start(Host host, Path home) throws IOException {
    removeStale(host);
    Background init =
        host.start(
            "unshare",
            "--mount",
            "--pid",
            "--fork",
            "--kill-child",
            "sh",
            "-ec",
            INIT,
            "init",
            home.toString());
    Eventually.await(
        "a place for podman: " + init.stderr(), LIMIT, () -> Files.exists(home.resolve("ready")));
    long pid =
        ProcessHandle.of(init.pid()).orElseThrow().children().findFirst().orElseThrow().pid();
    Podman podman = new Podman(host, home, init, pid);
    podman.use(PluginDirectory.GO);
    podman.importImage();
    return podman;
  }

  private void importImage() {
    List<String> argv = new ArrayList<>(List.of("sh", "-ec", BUILD, "build", home.toString()));
    argv.addAll(OPTIONS);
    argv.addAll(List.of("import", "-", IMAGE));
    inside(argv.toArray(String[]::new)).run();
  }

  /** Uses the plugins of another directory from now on. */
  void use(Path plugins) throws IOException {
    Files.writeString(
        home.resolve("containers.conf"),
        """
        [containers]
        default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
        cgroups = "enabled"
        log_driver = "k8s-file"

        [network]
        network_backend = "cni"
        cni_plugin_dirs = ["%s"]

        [engine]
        runtime = "runc"
        cgroup_manager = "cgroupfs"
        events_logger = "file"
        """
            .formatted(plugins));
  }

  /** {@code podman …}. */
  Output podman(String... arguments) {
    return command(arguments).run();
  }

  private Command command(String... arguments) {
    List<String> argv = new ArrayList<>(List.of("podman"));
    argv.addAll(OPTIONS);
    argv.addAll(List.of(arguments));
    return inside(argv.toArray(String[]::new));
  }

  /** Starts a container and returns its id: options first, then what it runs. */
  String run(String options, String... program) {
    List<String> argv =
        new ArrayList<>(List.of("run", "--detach", "--cgroup-parent", "/" + host.name()));
    argv.addAll(List.of(options.split(" ", -1)));
    argv.add(IMAGE);
    argv.addAll(List.of(program));
    return podman(argv.toArray(String[]::new)).stdout().strip();
  }

  /** Kills and removes them. */
  void remove(String... containers) {
    List<String> argv = new ArrayList<>(List.of("rm", "--force", "--time", "0"));
    argv.addAll(List.of(containers));
    podman(argv.toArray(String[]::new));
  }

  /** Runs a command in a container; it must succeed. */
  Output exec(String container, String... program) {
    return executing(container, program).run();
  }

  /** Runs a command in a container to the end, whatever the exit code. */
  Output tryExec(String container, String... program) {
    return executing(container, program).attempt();
  }

  private Command executing(String container, String... program) {
    List<String> argv = new ArrayList<>(List.of("exec", container));
    argv.addAll(List.of(program));
    return command(argv.toArray(String[]::new));
  }

  /** The files below a directory of podman's, without directories. */
  List<String> files(String directory) {
    return inside("sh", "-c", "[ ! -d \"$1\" ] || find \"$1\" -type f | sort", "sh", directory)
        .run()
        .stdout()
        .lines()
        .toList();
  }

  /** Starts a daemon on the host as podman sees it, and waits until it serves. */
  Background startDaemon(Path distribution) {
    Background daemon = inside(distribution.resolve("bin/ocicat").toString(), "daemon").start();
    Eventually.await(
        "ocicatd to serve: " + daemon.stderr(),
        LIMIT,
        () -> daemon.stderr().contains("serving at /run/ocicat/ocicatd.sock"));
    return daemon;
  }

  /** A command on the host as podman sees it. */
  private Command inside(String... argv) {
    List<String> entering =
        new ArrayList<>(
            List.of("nsenter", "--target", Long.toString(pid), "--mount", "--pid", "--net", "--"));
    entering.addAll(List.of(argv));
    return Command.of(entering)
        .env("CONTAINERS_CONF", home.resolve("containers.conf").toString())
        .env("TMPDIR", home.toString())
        .limit(LIMIT);
  }

  @Override
  public void close() throws IOException {
    init.close();
    ControlGroups.remove(host.name());
  }

  /** Removes the groups of hosts whose JVM was killed. */
  private static void removeStale(Host host) throws IOException {
    String kind = host.name().substring(0, host.name().indexOf('-') + 1);
    ControlGroups.removeStale(
        name -> name.startsWith(kind) && Files.notExists(host.path().resolveSibling(name)));
  }
}

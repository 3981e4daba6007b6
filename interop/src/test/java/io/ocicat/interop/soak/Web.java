package io.ocicat.interop.soak;

import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A web server that podman keeps running under whichever plugins, at a port of the host. */
final class Web {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final Path CONF = Path.of("/run/containers.conf");

  private static final String IMAGE =
      """
      mkdir -p /run/image/bin /run/image/www /run/image/proc /run/image/sys /run/image/dev /dev/shm
      cp /bin/busybox /run/image/bin/
      ln -s busybox /run/image/bin/httpd
      echo hello >/run/image/www/index.html
      tar -C /run/image -cf /run/image.tar .
      """;

  /**
   * @param group the control group that the test removes afterwards
   */
  Web(String group) throws IOException {
    use(Machine.GO);
    Shell.run(IMAGE);
    podman("import", "/run/image.tar", "web");
    podman(
        "run",
        "--detach",
        "--cgroup-parent",
        "/" + group,
        "--name",
        "web",
        "--publish",
        "8080:80",
        "web",
        "httpd",
        "-f",
        "-h",
        "/www");
    awaitAnswer();
  }

  private static void use(Path plugins) throws IOException {
    Files.writeString(
        CONF,
        """
        [containers]
        default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
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

  private static void podman(String... arguments) {
    List<String> argv =
        new ArrayList<>(
            List.of(
                "podman",
                "--root",
                "/var/lib/podman",
                "--runroot",
                "/run/podman",
                "--network-config-dir",
                "/var/lib/networks",
                "--storage-driver",
                "vfs"));
    argv.addAll(List.of(arguments));
    Command.of(argv)
        .env("CONTAINERS_CONF", CONF.toString())
        .env("TMPDIR", "/run")
        .limit(LIMIT)
        .run();
  }

  /** Its network is deleted and added again by these plugins. */
  void restart(Path plugins) throws IOException {
    use(plugins);
    podman("restart", "--time", "0", "web");
    awaitAnswer();
  }

  private static void awaitAnswer() {
    Eventually.await(
        "the published port to answer",
        LIMIT,
        () -> Shell.output("timeout 5 busybox wget -qO- http://192.0.2.1:8080/").equals("hello"));
  }

  void remove() {
    podman("rm", "--force", "--time", "0", "web");
  }
}

package io.ocicat.sandbox;

import io.ocicat.sandbox.container.ContainerConfig;
import io.ocicat.sandbox.container.ContainerImage;
import io.ocicat.sandbox.container.ContainerSettings;
import io.ocicat.sandbox.container.ContainerStatus;
import io.ocicat.sandbox.container.ContainerUsage;
import io.ocicat.sandbox.container.Containers;
import io.ocicat.sandbox.container.RootFilesystems;
import io.ocicat.sandbox.container.life.ConmonContainers;
import io.ocicat.sandbox.files.StateFiles;
import io.ocicat.sandbox.infra.RuncInfra;
import io.ocicat.sandbox.pods.PodSandboxes;
import io.ocicat.sandbox.pods.SandboxFilter;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A machine that runs containers: runc and conmon of Debian, sandboxes in the host's network unless
 * a test says otherwise, root file systems that have busybox and a few users.
 */
public final class TestContainers implements AutoCloseable {
  private static final List<String> PROGRAMS =
      List.of(
          "sh",
          "cat",
          "chmod",
          "chown",
          "date",
          "dd",
          "echo",
          "env",
          "false",
          "grep",
          "head",
          "hostname",
          "id",
          "kill",
          "ln",
          "ls",
          "mkdir",
          "mknod",
          "mount",
          "nc",
          "ping",
          "ps",
          "pwd",
          "readlink",
          "rm",
          "sed",
          "setsid",
          "sleep",
          "stat",
          "stty",
          "tail",
          "test",
          "touch",
          "true",
          "trap",
          "tty",
          "umount",
          "unshare",
          "wc",
          "yes");

  private final TestNode node;
  private final Path folder;
  private final RootFilesystems rootfs;
  private Containers containers;
  private PodSandboxes pods;

  public TestContainers(TestNode node) {
    this.node = node;
    this.folder = node.folder();
    this.rootfs = new Folders(folder.resolve("rootfs"));
    pause();
    this.containers = new ConmonContainers(settings(folder), rootfs);
    this.pods = sandboxes();
  }

  /** Our program, compiled once for all tests. */
  public static synchronized Path pause() {
    Path file = Path.of("target/pause").toAbsolutePath();
    if (Files.notExists(file)) {
      Path draft = file.resolveSibling("pause." + ProcessHandle.current().pid());
      Command.of(Path.of("src/main/c/build").toAbsolutePath().toString(), draft.toString())
          .limit(Duration.ofMinutes(2))
          .run();
      try {
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return file;
  }

  public static ContainerSettings settings(Path folder) {
    return ContainerSettings.usual(
        folder.resolve("state"),
        folder.resolve("run/c"),
        Path.of("/usr/bin/conmon"),
        RuncInfra.find("runc", "/usr/sbin:/usr/bin").orElseThrow());
  }

  private PodSandboxes sandboxes() {
    return new PodSandboxes(
        node.sandboxSettings(
            new RuncInfra(
                RuncInfra.find("runc", "/usr/sbin:/usr/bin").orElseThrow(),
                pause(),
                folder.resolve("run/runc"))),
        node.networks(),
        containers);
  }

  /** What another process, started now, would have. */
  public void restart() {
    restart(settings(folder));
  }

  public void restart(ContainerSettings settings) {
    containers.close();
    containers = new ConmonContainers(settings, rootfs);
    pods = sandboxes();
  }

  public Containers containers() {
    return containers;
  }

  public PodSandboxes pods() {
    return pods;
  }

  public Path folder() {
    return folder;
  }

  public Path logs(String pod) {
    return folder.resolve("logs/" + pod);
  }

  public PodConfig.Builder pod(String name) {
    return PodConfig.of(new PodMetadata(name, "shop", "u-" + name, 0))
        .hostname(name)
        .network(NamespaceMode.NODE)
        .logDirectory(logs(name).toString());
  }

  public String runPod(String name) {
    return pods.run(pod(name).build(), "");
  }

  /** A container that runs a shell script. */
  public static ContainerConfig.Builder shell(String name, String script) {
    return ContainerConfig.of(name, 0, "busybox")
        .command(List.of("/bin/sh", "-c"), List.of(script))
        .logPath(name + ".log");
  }

  public String create(String sandbox, ContainerConfig config) {
    return pods.createContainer(sandbox, config, ContainerImage.plain("sha256:b"), new byte[0]);
  }

  public String start(String sandbox, ContainerConfig.Builder config) {
    String id = create(sandbox, config.build());
    containers.start(id);
    return id;
  }

  /** Runs it to its end, and returns what it printed. */
  public String output(String sandbox, ContainerConfig.Builder config) {
    ContainerConfig built = config.build();
    String id = create(sandbox, built);
    containers.start(id);
    ContainerStatus end = awaitExit(id);
    String printed = printed(end);
    containers.remove(id);
    try {
      Files.delete(Path.of(end.logPath()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return printed;
  }

  public ContainerStatus awaitExit(String id) {
    return Eventually.value(
        "the end of " + id,
        Duration.ofSeconds(20),
        () -> Optional.of(containers.status(id)).filter(status -> status.finishedAt() > 0));
  }

  /** The content of a container's log. */
  public static String printed(ContainerStatus container) {
    StringBuilder text = new StringBuilder();
    for (String line : read(Path.of(container.logPath())).lines().toList()) {
      String[] parts = line.split(" ", 4);
      text.append(parts[3]).append(parts[2].equals("F") ? "\n" : "");
    }
    return text.toString();
  }

  public static String read(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String exec(String id, String... command) {
    return new String(
        containers.execSync(id, List.of(command), Duration.ofSeconds(20)).stdout(),
        StandardCharsets.UTF_8);
  }

  /** Everything that containers and sandboxes may leave behind, one line each. */
  public List<String> traces() {
    List<String> found = new ArrayList<>(node.traces());
    for (String each :
        List.of(
            "state/containers",
            "run/c/bundles",
            "run/c/exits",
            "run/c/s",
            "run/c/runtime",
            "run/c/exec",
            "run/c/tmp",
            "run/shm",
            "rootfs")) {
      try (Stream<Path> entries =
          Files.exists(folder.resolve(each)) ? Files.list(folder.resolve(each)) : Stream.empty()) {
        entries.map(entry -> folder.relativize(entry).toString()).forEach(found::add);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    Command.of("sh", "-c", "grep -c " + folder + " /proc/self/mountinfo || true")
        .run()
        .stdout()
        .lines()
        .map(count -> count + " mounts")
        .forEach(found::add);
    Command.of("pgrep", "-fc", folder.toString())
        .attempt()
        .stdout()
        .lines()
        .map(count -> count + " processes")
        .forEach(found::add);
    found.sort(null);
    return found;
  }

  @Override
  public void close() {
    try {
      pods.recover();
      pods.list(SandboxFilter.ALL).forEach(pod -> pods.remove(pod.id()));
      containers.close();
    } finally {
      node.close();
    }
  }

  /** Root file systems as plain folders. */
  public record Folders(Path folder) implements RootFilesystems {
    @Override
    public Path prepare(String containerId, ContainerImage image) {
      Path root = folder.resolve(containerId);
      try {
        for (String each : List.of("bin", "etc", "tmp", "proc", "dev", "sys", "data")) {
          Files.createDirectories(root.resolve(each));
        }
        Path busybox = root.resolve("bin/busybox");
        if (Files.notExists(busybox)) {
          Files.copy(
              RuncInfra.find("busybox", "/usr/bin:/bin").orElseThrow(),
              busybox,
              StandardCopyOption.COPY_ATTRIBUTES);
          for (String each : PROGRAMS) {
            Files.createSymbolicLink(root.resolve("bin").resolve(each), Path.of("busybox"));
          }
        }
        Files.writeString(
            root.resolve("etc/passwd"),
            "root:x:0:0::/root:/bin/sh\nwww-data:x:33:34::/:/bin/sh\nalice:x:1000:1001::/:/bin/sh\n");
        Files.writeString(
            root.resolve("etc/group"),
            "root:x:0:\nwww-data:x:34:\nalice:x:1001:\nstaff:x:50000:alice,bob\n");
        Files.writeString(root.resolve("data/file"), "of the image\n");
        return root;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void remove(String containerId) {
      StateFiles.removeTree(folder.resolve(containerId));
    }

    @Override
    public LayerUsage usage(String containerId) {
      return new LayerUsage(ContainerUsage.UNKNOWN, ContainerUsage.UNKNOWN);
    }
  }
}

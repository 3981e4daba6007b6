package io.ocicat.sandbox.infra;

import io.ocicat.base.file.WholeFile;
import io.ocicat.base.json.Json;
import io.ocicat.netlink.linux.FileLock;
import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.cgroup.CgroupPath;
import io.ocicat.sandbox.cgroup.Cgroups;
import io.ocicat.sandbox.files.StateFiles;
import io.ocicat.sandbox.files.StateFiles.Durability;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Holds a pod with a runc container that runs only our pause program, on a file system with nothing
 * else.
 */
public final class RuncInfra implements PodInfra {
  public static final String KIND = "runc";

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String CGROUP_PARENT = "/ocicat";
  private static final String ROOTFS = "rootfs";
  private static final String PID_FILE = "pid";
  private static final String LOG_FILE = "runc.log";

  private final Path runc;
  private final Path pause;
  private final Path state;
  private final boolean systemd;

  /** With the cgroupfs driver. */
  public RuncInfra(Path runc, Path pause, Path state) {
    this(runc, pause, state, false);
  }

  /**
   * @param runc the executable
   * @param pause our program, statically linked
   * @param state a directory that does not survive a reboot
   * @param systemd whether systemd makes the cgroups, instead of runc itself
   */
  public RuncInfra(Path runc, Path pause, Path state, boolean systemd) {
    this.runc = runc;
    this.pause = pause;
    this.state = state;
    this.systemd = systemd;
  }

  /** Finds the executable of that name in a PATH. */
  public static Optional<Path> find(String name, String path) {
    return Arrays.stream(path.split(":", -1))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  @Override
  public String kind() {
    return KIND;
  }

  @Override
  public void check(PodConfig config) {
    if (!Files.isExecutable(runc)) {
      throw new SandboxException(
          Reason.NOT_READY,
          "%s is missing, which holds pods: install runc, or run pods without infra process"
              .formatted(runc));
    }
    if (!Files.isReadable(pause)) {
      throw new SandboxException(
          Reason.NOT_READY,
          "the program %s is missing, which pods are held by: is this an installation of Ocicat?"
              .formatted(pause));
    }
    cgroup("", config);
  }

  @Override
  public String cgroup(String id, PodConfig config) {
    if (config.cgroupParent().isEmpty() && !Privilege.isHostRoot()) {
      return "";
    }
    return CgroupPath.of(config.cgroupParent(), id, systemd).forRuntime();
  }

  @Override
  public boolean holdsNamespaces() {
    return true;
  }

  @Override
  public ProcessId create(Held pod) {
    // Until runc has recorded the container, no other process may conclude that the last one is
    // gone.
    try (FileLock _ =
        FileLock.acquire(StateFiles.privateFolder(state), FileLock.Mode.SHARED, LIMIT)) {
      return createLocked(pod);
    }
  }

  private ProcessId createLocked(Held pod) {
    Path rootfs = rootfs();
    StateFiles.write(
        pod.folder().resolve("config.json"),
        Json.compactBytes(
            RuncSpec.of(pod.config(), pod.netns(), rootfs, cgroup(pod.id(), pod.config()))),
        Durability.PROCESS);
    Path pidFile = pod.folder().resolve(PID_FILE);
    run(
        pod.folder().resolve(LOG_FILE),
        "create",
        "--bundle",
        pod.folder().toString(),
        "--pid-file",
        pidFile.toString(),
        pod.id());
    long pid =
        StateFiles.read(pidFile)
            .map(bytes -> Long.parseLong(new String(bytes, StandardCharsets.UTF_8).strip()))
            .orElseThrow(
                () -> new SandboxException(Reason.FAILED, "runc did not write " + pidFile));
    return ProcessId.of(pid);
  }

  @Override
  public void start(Held pod, ProcessId process) {
    run(pod.folder().resolve(LOG_FILE), "start", pod.id());
  }

  @Override
  public boolean isRunning(ProcessId process) {
    return process.isAlive();
  }

  @Override
  public void remove(String id, ProcessId process, Duration grace) {
    process.end(grace, false);
    if (Files.isDirectory(state.resolve(id))) {
      run(state.resolve(id + ".log"), "delete", "--force", id);
      StateFiles.remove(state.resolve(id + ".log"));
    }
    removeSharedState();
  }

  /** Removes what the containers share with the last of them, unless another is being created. */
  private void removeSharedState() {
    if (!Files.isDirectory(state)) {
      return;
    }
    Optional<FileLock> lock = FileLock.tryAcquire(state, FileLock.Mode.EXCLUSIVE);
    if (lock.isEmpty()) {
      return;
    }
    try (FileLock _ = lock.get();
        Stream<Path> entries = Files.list(state)) {
      List<Path> found = entries.toList();
      if (found.stream().allMatch(entry -> entry.endsWith(ROOTFS))) {
        if (!found.isEmpty()) {
          StateFiles.removeTree(state.resolve(ROOTFS));
        }
        Cgroups.removeIfEmpty(CGROUP_PARENT);
      }
    } catch (IOException e) {
      throw StateFiles.failed("list", state, e);
    }
  }

  /** One for all pods, read-only: our program, under a name that contains its modification time. */
  private Path rootfs() {
    Path folder = state.resolve(ROOTFS);
    Path inside = folder.resolve("pause");
    try {
      if (!Files.exists(inside) || Files.mismatch(pause, inside) >= 0) {
        for (String each : List.of("proc", "dev", "sys")) {
          Files.createDirectories(folder.resolve(each));
        }
        WholeFile.at(inside).mode("rwxr-xr-x").write(Files.readAllBytes(pause));
      }
      return folder;
    } catch (IOException e) {
      throw StateFiles.failed("make", folder, e);
    }
  }

  /** To a file and not to a pipe, which the processes that runc starts would keep open. */
  private void run(Path log, String... arguments) {
    List<String> argv =
        new ArrayList<>(
            List.of(runc.toString(), "--root", StateFiles.privateFolder(state).toString()));
    if (systemd) {
      argv.add("--systemd-cgroup");
    }
    argv.addAll(List.of(arguments));
    try {
      Process process =
          new ProcessBuilder(argv)
              .redirectInput(Path.of("/dev/null").toFile())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      if (!process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        throw failed(arguments[0], "not finished after %d s".formatted(LIMIT.toSeconds()));
      }
      if (process.exitValue() != 0) {
        String said =
            StateFiles.read(log).map(bytes -> new String(bytes, StandardCharsets.UTF_8)).orElse("");
        throw failed(arguments[0], said.strip());
      }
    } catch (IOException e) {
      throw failed(arguments[0], SandboxException.text(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(arguments[0], "interrupted");
    }
  }

  private static SandboxException failed(String command, String why) {
    return new SandboxException(Reason.FAILED, "runc %s failed: %s".formatted(command, why));
  }
}

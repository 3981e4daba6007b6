package io.ocicat.sandbox.container.conmon;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.Kernel;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.linux.SocketType;
import io.ocicat.netlink.linux.Syscall;
import io.ocicat.netlink.linux.UnixSocket;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.ContainerConfig;
import io.ocicat.sandbox.container.ContainerSettings;
import io.ocicat.sandbox.files.StateFiles;
import io.ocicat.sandbox.infra.ProcessId;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import tools.jackson.databind.node.ObjectNode;

/**
 * Starts and talks to conmon, the monitor of one container: it has the container's streams, writes
 * its log, collects its exit code, and outlives this process.
 *
 * <pre>
 * bundles/&lt;id&gt;/   config.json, pidfile, conmon.pid, ctl, attach, oom; what the container mounts
 * exits/&lt;id&gt;     the exit code, written when the container has ended
 * s/&lt;id&gt;         a link to the bundle, which conmon makes
 * </pre>
 *
 * <p>Thread-safe.
 */
public final class Conmon {
  /**
   * conmon reports on a descriptor that it inherits, and a JVM passes on only the first three; so a
   * shell turns its standard output into descriptor 3. It forks itself into the background at once.
   * The JDK would then close the pipe, and conmon die of writing to it: the shell stays until the
   * report is there.
   */
  private static final String REPORT = "\"$@\" 3>&1 1>/dev/null 2>\"$0\" | head -n 1";

  private static final int MESSAGE_LINES = 50;
  private static final long USUAL_CREATION = Duration.ofSeconds(1).toNanos();
  private static final long RUNTIME_GONE = Duration.ofSeconds(4).toNanos();

  private final ContainerSettings settings;
  private final OciRuntime runtime;
  private final Path bundles;
  private final Path exits;
  private final Path sockets;

  public Conmon(ContainerSettings settings, OciRuntime runtime) {
    this.settings = settings;
    this.runtime = runtime;
    this.bundles = StateFiles.privateFolder(settings.run().resolve("bundles"));
    this.exits = StateFiles.privateFolder(settings.run().resolve("exits"));
    this.sockets = StateFiles.privateFolder(settings.run().resolve("s"));
  }

  /** The first process of a container and its monitor. */
  public record Started(ProcessId process, ProcessId monitor) {}

  public Path bundle(String id) {
    return bundles.resolve(id);
  }

  /** Where exit codes appear. */
  public Path exits() {
    return exits;
  }

  /** The ids that have a bundle. */
  public List<String> bundled() {
    return StateFiles.names(bundles);
  }

  /**
   * Creates a container from the {@code config.json} in its bundle, without starting it.
   *
   * @param log empty for none
   */
  public Started create(String id, ContainerConfig config, String log) {
    Path bundle = bundle(id);
    List<String> argv = new ArrayList<>(List.of("sh", "-c", REPORT));
    argv.add(bundle.resolve("conmon.err").toString());
    argv.addAll(common(id, config.metadata().name(), bundle.resolve("pidfile")));
    argv.addAll(List.of("-b", bundle.toString(), "-u", id));
    argv.addAll(List.of("-P", bundle.resolve("conmon.pid").toString()));
    argv.addAll(List.of("--exit-dir", exits.toString(), "--persist-dir", bundle.toString()));
    argv.addAll(List.of("--socket-dir-path", sockets.toString()));
    argv.addAll(List.of("-l", log.isEmpty() ? "none" : log));
    if (config.tty()) {
      argv.add("-t");
    }
    if (config.stdin()) {
      argv.add("-i");
      if (!config.stdinOnce()) {
        argv.add("--leave-stdin-open");
      }
    }
    ObjectNode report = report(argv, bundle, creation(id, bundle));
    long pid = report.path("pid").asLong(-1);
    if (pid <= 0) {
      throw failed(report.path("message").asString(errors(bundle)));
    }
    ProcessId process = ProcessId.of(pid);
    return new Started(process, monitor(bundle).orElse(ProcessId.NONE));
  }

  private List<String> common(String id, String name, Path pidFile) {
    List<String> argv = new ArrayList<>();
    argv.add(settings.conmon().toString());
    argv.addAll(List.of("-c", id, "-n", StateFiles.nameFor(name)));
    argv.addAll(List.of("-r", settings.runtime().toString()));
    for (String argument : runtime.globalArguments()) {
      argv.addAll(List.of("--runtime-arg", argument));
    }
    argv.addAll(List.of("-p", pidFile.toString()));
    return argv;
  }

  private ObjectNode report(List<String> argv, Path bundle, BooleanSupplier isGone) {
    try {
      ProcessBuilder builder =
          new ProcessBuilder(argv)
              .directory(bundle.toFile())
              .redirectInput(Path.of("/dev/null").toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD);
      builder.environment().put("_OCI_SYNCPIPE", "3");
      builder.environment().remove("NOTIFY_SOCKET");
      Process process = builder.start();
      try {
        byte[] line = Reports.read(process, settings.timeout(), isGone);
        if (line.length == 0) {
          throw failed(errors(bundle));
        }
        return (ObjectNode) CniJson.parse(line);
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException | CniException | ClassCastException e) {
      throw failed(SandboxException.text(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed("interrupted");
    }
  }

  private static String errors(Path bundle) {
    try {
      List<String> lines = Files.readAllLines(bundle.resolve("conmon.err"));
      if (lines.isEmpty()) {
        return "conmon ended without a report";
      }
      return String.join("\n", lines.subList(0, Math.min(lines.size(), MESSAGE_LINES)));
    } catch (IOException _) {
      return "conmon ended without a report";
    }
  }

  private SandboxException failed(String why) {
    return new SandboxException(
        Reason.FAILED,
        "%s cannot create the container: %s"
            .formatted(settings.runtime().getFileName(), OneLine.of(why)));
  }

  /** The monitor of a container; {@link ProcessId#NONE} when it has ended. */
  private static Optional<ProcessId> monitor(Path bundle) {
    return StateFiles.read(bundle.resolve("conmon.pid"))
        .map(bytes -> OciRuntime.text(bytes).strip())
        .filter(text -> !text.isEmpty())
        .map(text -> ProcessId.of(Long.parseLong(text)));
  }

  /**
   * Returns true once nobody works on the creation any more: the monitor was killed, or the
   * runtime. In the second case the monitor waits for what the runtime might still say, as long as
   * the process lives that it made.
   */
  private BooleanSupplier creation(String id, Path bundle) {
    long start = System.nanoTime();
    AtomicLong lastSeen = new AtomicLong(start);
    return () -> {
      if (monitor(bundle).map(monitor -> !monitor.isAlive()).orElse(false)) {
        return true;
      }
      if (System.nanoTime() - start > USUAL_CREATION
          && ProcessesByArgument.hasOther(id, settings.conmon().toString())) {
        lastSeen.set(System.nanoTime());
      }
      return System.nanoTime() - lastSeen.get() > RUNTIME_GONE;
    };
  }

  /** The exit code of a container that has ended; empty while it has not, or when it was missed. */
  public OptionalInt exitCode(String id) {
    Optional<byte[]> code = StateFiles.read(exits.resolve(id));
    try {
      return code.isPresent()
          ? OptionalInt.of(Integer.parseInt(OciRuntime.text(code.get()).strip()))
          : OptionalInt.empty();
    } catch (NumberFormatException _) {
      return OptionalInt.empty();
    }
  }

  /** When the exit code was written; nanoseconds since 1970. */
  public long exitTime(String id) {
    try {
      return Files.getLastModifiedTime(exits.resolve(id)).to(TimeUnit.NANOSECONDS);
    } catch (IOException _) {
      return 0;
    }
  }

  /** Whether the kernel killed a process of the container for want of memory. */
  public boolean ranOutOfMemory(String id) {
    return Files.exists(bundle(id).resolve("oom"));
  }

  /** Connects to the monitor as a client, whatever the length of the path. */
  UnixSocket attach(String id, Duration limit) {
    try (Fd folder = Fd.open(bundle(id), Fd.O_PATH, 0)) {
      Path socket = Path.of("/proc/self/fd", Integer.toString(folder.number()), "attach");
      return UnixSocket.connect(socket, SocketType.SEQPACKET, limit);
    }
  }

  /** Sends conmon the size of the container's terminal. */
  void resize(String id, int width, int height) {
    control(id, "1 %d %d\n".formatted(height, width));
  }

  /** Makes conmon close the log and create it again. */
  public void reopenLog(String id) {
    control(id, "2 0 0\n");
  }

  /** Without waiting: to open a pipe that nobody reads would last for ever. */
  private void control(String id, String command) {
    try (Fd pipe = Fd.open(bundle(id).resolve("ctl"), Fd.O_WRONLY | Fd.O_NONBLOCK, 0);
        Arena arena = Arena.ofConfined()) {
      byte[] bytes = command.getBytes(StandardCharsets.US_ASCII);
      MemorySegment buffer = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
      NetlinkException.check(
          Kernel.call(Syscall.WRITE, pipe.number(), buffer.address(), bytes.length),
          () -> "write to conmon");
    } catch (NetlinkException e) {
      throw new SandboxException(
          Reason.FAILED,
          "the monitor of container %s does not answer: %s"
              .formatted(id.substring(0, 13), SandboxException.text(e)),
          e);
    }
  }

  /** Ends every process that has the container's id among its arguments: monitors and runtimes. */
  public void endProcessesOf(String id) {
    for (ProcessId each : ProcessesByArgument.of(id)) {
      each.signal(ProcessId.SIGKILL);
    }
    for (ProcessId each : ProcessesByArgument.of(id)) {
      each.end(Duration.ZERO, false);
    }
  }

  /** Deletes the files of a container. */
  public void forget(String id) {
    StateFiles.remove(sockets.resolve(id));
    StateFiles.removeTree(bundle(id));
    StateFiles.remove(exits.resolve(id));
  }

  /** The command line of conmon for a command in a container, which stays in the foreground. */
  List<String> execCommand(String id, Path files, long timeoutSeconds, long mostBytes) {
    List<String> argv = new ArrayList<>(common(id, "exec", files.resolve("pid")));
    argv.addAll(List.of("--sync", "-e", "-l", files.resolve("log").toString()));
    argv.addAll(List.of("--exec-process-spec", files.resolve("process.json").toString()));
    argv.addAll(List.of("--log-global-size-max", Long.toString(mostBytes)));
    if (timeoutSeconds > 0) {
      argv.addAll(List.of("-T", Long.toString(timeoutSeconds)));
    }
    return argv;
  }
}

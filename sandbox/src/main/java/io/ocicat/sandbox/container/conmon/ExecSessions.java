package io.ocicat.sandbox.container.conmon;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.ContainerIo;
import io.ocicat.sandbox.container.ContainerSettings;
import io.ocicat.sandbox.container.ExecResult;
import io.ocicat.sandbox.container.oci.ProcessSpec;
import io.ocicat.sandbox.files.StateFiles;
import io.ocicat.sandbox.infra.ProcessId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.node.ObjectNode;

/**
 * Runs commands in containers. Only so many at a time in one container: probes that hang would fill
 * the machine otherwise. Thread-safe.
 */
public final class ExecSessions {
  private static final int MOST_PER_CONTAINER = 32;

  /** What the answer of an RPC may have, with room for the rest of the message. */
  private static final int MOST_BYTES = (16 << 20) - (64 << 10);

  private static final String REPORT = "exec 3>&1 1>/dev/null 2>\"$0\"; exec \"$@\"";
  private static final String TIMED_OUT = "timed out";
  private static final Duration MARGIN = Duration.ofSeconds(10);

  private final Conmon conmon;
  private final OciRuntime runtime;
  private final Path folder;
  private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();

  public ExecSessions(ContainerSettings settings, Conmon conmon, OciRuntime runtime) {
    this.conmon = conmon;
    this.runtime = runtime;
    this.folder = StateFiles.privateFolder(settings.run().resolve("exec"));
  }

  /** Removes the files of sessions that a killed process left. */
  public void recover() {
    for (String each : StateFiles.names(folder)) {
      if (!running.containsKey(each)) {
        StateFiles.removeTree(folder.resolve(each));
      }
    }
  }

  /** Runs a command to its end. */
  public ExecResult runToEnd(String id, List<String> command, Duration timeout) {
    try (Session session = new Session(id, command, false)) {
      long seconds = (timeout.toMillis() + 999) / 1000;
      List<String> argv = new ArrayList<>(List.of("sh", "-c", REPORT));
      argv.add(session.files.resolve("err").toString());
      argv.addAll(conmon.execCommand(id, session.files, seconds, MOST_BYTES));
      ProcessBuilder builder =
          new ProcessBuilder(argv)
              .redirectInput(Path.of("/dev/null").toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD);
      builder.environment().put("_OCI_SYNCPIPE", "3");
      Process monitor = builder.start();
      try {
        byte[] line =
            Reports.read(
                monitor,
                seconds == 0 ? Duration.ZERO : MARGIN.plusSeconds(seconds),
                () -> !monitor.isAlive());
        return result(session.files, line, command, seconds);
      } finally {
        session.killAfter(monitor);
      }
    } catch (IOException | CniException e) {
      throw failed(command, SandboxException.text(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(command, "interrupted");
    }
  }

  private static ExecResult result(Path files, byte[] line, List<String> command, long seconds)
      throws IOException {
    if (line.length == 0) {
      throw failed(command, Files.readString(files.resolve("err")));
    }
    ObjectNode report = (ObjectNode) CniJson.parse(line);
    int code = report.path("exit_code").asInt(-1);
    String message = report.path("message").asString("");
    if (code < 0) {
      if (message.contains(TIMED_OUT)) {
        throw new SandboxException(
            Reason.DEADLINE,
            "command \"%s\" timed out after %d s".formatted(command.getFirst(), seconds));
      }
      throw failed(command, message);
    }
    return ExecLog.read(files.resolve("log"), MOST_BYTES, code);
  }

  /** Starts a command for a client to talk to. */
  public ContainerIo start(String id, List<String> command, boolean tty, boolean stdin) {
    Session session = new Session(id, command, tty);
    try {
      List<String> argv =
          runtime.exec(id, session.files.resolve("process.json"), session.files.resolve("pid"));
      return tty
          ? TerminalIo.start(argv, session::close)
          : PipeIo.start(argv, stdin, session::close);
    } catch (IOException e) {
      session.close();
      throw failed(command, SandboxException.text(e));
    } catch (RuntimeException e) {
      session.close();
      throw e;
    }
  }

  private static SandboxException failed(List<String> command, String why) {
    return new SandboxException(
        Reason.FAILED,
        "cannot run \"%s\" in the container: %s".formatted(command.getFirst(), OneLine.of(why)));
  }

  /** The files of one command, and its place among those of the container. */
  private final class Session implements AutoCloseable {
    private final String id;
    private final Path files;

    private Session(String id, List<String> command, boolean tty) {
      this.id = id;
      AtomicInteger count = running.computeIfAbsent(id, _ -> new AtomicInteger());
      if (count.incrementAndGet() > MOST_PER_CONTAINER) {
        count.decrementAndGet();
        throw new SandboxException(
            Reason.BUSY,
            "container %s runs %d commands already; wait for one of them to end"
                .formatted(id.substring(0, 13), MOST_PER_CONTAINER));
      }
      try {
        this.files = Files.createTempDirectory(StateFiles.privateFolder(folder.resolve(id)), "x");
        ObjectNode spec =
            (ObjectNode)
                CniJson.parse(Files.readAllBytes(conmon.bundle(id).resolve("config.json")));
        Files.write(
            files.resolve("process.json"),
            Json.compactBytes(ProcessSpec.forExec(spec, command, tty)));
      } catch (IOException | CniException e) {
        release();
        throw failed(command, SandboxException.text(e));
      }
    }

    /** conmon ends what it watches when its time is up; this ends what is left if it did not. */
    private void killAfter(Process monitor) {
      if (monitor.isAlive()) {
        StateFiles.read(files.resolve("pid"))
            .map(bytes -> OciRuntime.text(bytes).strip())
            .filter(text -> !text.isEmpty())
            .ifPresent(pid -> ProcessId.of(Long.parseLong(pid)).end(Duration.ZERO, true));
        monitor.destroyForcibly();
      }
    }

    private void release() {
      running.computeIfPresent(id, (_, count) -> count.decrementAndGet() == 0 ? null : count);
    }

    @Override
    public void close() {
      StateFiles.removeTree(files);
      if (StateFiles.names(folder.resolve(id)).isEmpty()) {
        removeQuietly(folder.resolve(id));
      }
      release();
    }

    private static void removeQuietly(Path empty) {
      try {
        Files.deleteIfExists(empty);
      } catch (IOException _) {
        // Another session has begun.
      }
    }
  }
}

package io.ocicat.sandbox.container.conmon;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.ContainerSettings;
import io.ocicat.sandbox.container.ContainerSettings.CgroupDriver;
import io.ocicat.sandbox.files.StateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.node.ObjectNode;

/** Calls runc, or crun, which has the same commands. Thread-safe. */
public final class OciRuntime {
  private static final String STOPPED = "stopped";

  private final ContainerSettings settings;
  private final Path root;
  private final Path scratch;

  public OciRuntime(ContainerSettings settings) {
    this.settings = settings;
    this.root = StateFiles.privateFolder(settings.run().resolve("runtime"));
    this.scratch = StateFiles.privateFolder(settings.run().resolve("tmp"));
  }

  /** Arguments before the command. */
  List<String> globalArguments() {
    List<String> arguments = new ArrayList<>();
    arguments.add("--root=" + root);
    if (settings.cgroupDriver() == CgroupDriver.SYSTEMD) {
      arguments.add("--systemd-cgroup");
    }
    arguments.addAll(settings.runtimeArguments());
    return arguments;
  }

  /** Whether it keeps state of a container. */
  public boolean knows(String id) {
    return Files.isDirectory(root.resolve(id));
  }

  public void start(String id) {
    run(List.of("start", id), new byte[0]);
  }

  /** {@code created}, {@code running}, {@code paused} or {@code stopped}, also when unknown. */
  public String state(String id) {
    if (!knows(id)) {
      return STOPPED;
    }
    try {
      return CniJson.parse(run(List.of("state", id), new byte[0])) instanceof ObjectNode state
          ? state.path("status").asString(STOPPED)
          : STOPPED;
    } catch (SandboxException | CniException _) {
      return STOPPED;
    }
  }

  /** Kills what is left, and deletes its state and its cgroup. Succeeds when it is unknown. */
  public void delete(String id) {
    if (knows(id)) {
      try {
        run(List.of("delete", "--force", id), new byte[0]);
      } catch (SandboxException e) {
        if (knows(id)) {
          discard(id, e);
        }
      }
    }
  }

  /** A runtime that was killed at the wrong time leaves state that it cannot read itself. */
  private void discard(String id, SandboxException failure) {
    if (Files.exists(root.resolve(id).resolve("state.json"))
        || Files.exists(root.resolve(id).resolve("status"))) {
      throw failure;
    }
    StateFiles.removeTree(root.resolve(id));
  }

  /** Changes limits; the object is {@code linux.resources} of a specification. */
  public void update(String id, byte[] resources) {
    run(List.of("update", "--resources", "-", id), resources);
  }

  /** The command line that runs a process in a container, in the foreground. */
  List<String> exec(String id, Path process, Path pidFile) {
    return command(
        List.of("exec", "--process", process.toString(), "--pid-file", pidFile.toString(), id));
  }

  private List<String> command(List<String> arguments) {
    List<String> argv = new ArrayList<>();
    argv.add(settings.runtime().toString());
    argv.addAll(globalArguments());
    argv.addAll(arguments);
    return argv;
  }

  private byte[] run(List<String> arguments, byte[] input) {
    Path files = null;
    try {
      files = Files.createTempDirectory(scratch, "call");
      Path stdin = files.resolve("in");
      Files.write(stdin, input);
      // To files and not to pipes, which processes that it starts could keep open.
      Process process =
          new ProcessBuilder(command(arguments))
              .redirectInput(stdin.toFile())
              .redirectOutput(files.resolve("out").toFile())
              .redirectError(files.resolve("err").toFile())
              .start();
      if (!process.waitFor(settings.timeout().toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        throw failed(
            arguments, "not finished after %d s".formatted(settings.timeout().toSeconds()));
      }
      if (process.exitValue() != 0) {
        throw failed(arguments, Files.readString(files.resolve("err")));
      }
      return Files.readAllBytes(files.resolve("out"));
    } catch (IOException e) {
      throw failed(arguments, SandboxException.text(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(arguments, "interrupted");
    } finally {
      if (files != null) {
        StateFiles.removeTree(files);
      }
    }
  }

  private SandboxException failed(List<String> arguments, String why) {
    return new SandboxException(
        Reason.FAILED,
        "%s %s failed: %s"
            .formatted(settings.runtime().getFileName(), arguments.getFirst(), OneLine.of(why)));
  }

  static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }
}

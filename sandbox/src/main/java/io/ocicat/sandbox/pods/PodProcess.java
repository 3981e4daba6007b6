package io.ocicat.sandbox.pods;

import io.ocicat.sandbox.NamespaceMode;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.files.StateFiles;
import io.ocicat.sandbox.infra.ProcessId;
import io.ocicat.sandbox.store.SandboxRecord;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A process in the namespaces of a pod: its network, and if an infra process holds the pod also its
 * UTS, IPC and PID namespaces. It has the host's files except for resolv.conf, in a mount namespace
 * of its own. {@code nsenter} is used because a thread of a JVM cannot change its mount namespace.
 */
final class PodProcess {
  static final String RESOLV_CONF = "resolv.conf";

  /** A mount target that does not exist is not needed either. */
  private static final String PREPARE =
      "[ ! -e /etc/resolv.conf ] || mount --bind \"$1\" /etc/resolv.conf || exit 125;"
          + " [ -z \"$2\" ] || mount -t proc proc /proc || exit 125; shift 2; exec \"$@\"";

  private PodProcess() {}

  static List<String> argv(SandboxRecord record, Path folder, List<String> command) {
    List<String> argv = new ArrayList<>(List.of("nsenter"));
    boolean ownProcesses = false;
    if (!record.netns().isEmpty()) {
      argv.add("--net=" + record.netns());
    }
    long pid = record.process().pid();
    if (pid > 0) {
      argv.add("--target=" + pid);
      if (!record.config().hostNetwork()) {
        argv.add("--uts");
      }
      if (record.config().ipc() != NamespaceMode.NODE) {
        argv.add("--ipc");
      }
      if (record.config().pid() != NamespaceMode.NODE) {
        argv.add("--pid");
        ownProcesses = true;
      }
    }
    if (argv.size() == 1) {
      argv.clear();
    } else {
      argv.add("--");
    }
    argv.addAll(List.of("unshare", "--mount", "--propagation", "private", "--"));
    argv.addAll(List.of("sh", "-c", PREPARE, "sh", folder.resolve(RESOLV_CONF).toString()));
    argv.add(ownProcesses ? "proc" : "");
    argv.addAll(command);
    return argv;
  }

  /** Starts it in the background; it outlives this process. */
  static ProcessId start(SandboxRecord record, Path folder, String name, List<String> command) {
    List<String> argv = new ArrayList<>(List.of("setsid"));
    argv.addAll(argv(record, folder, command));
    try {
      File log = log(record, folder, name).toFile();
      Process process =
          new ProcessBuilder(argv)
              .redirectInput(Path.of("/dev/null").toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
              .start();
      return ProcessId.of(process.pid());
    } catch (IOException e) {
      throw new SandboxException(
          Reason.FAILED,
          "cannot start %s in pod %s: %s"
              .formatted(
                  command.getFirst(), record.config().metadata().pod(), SandboxException.text(e)),
          e);
    }
  }

  /** Named as in kubelet. */
  private static Path log(SandboxRecord record, Path folder, String name) {
    String logs = record.config().logDirectory();
    Path into = (logs.isEmpty() ? folder.resolve("logs") : Path.of(logs)).resolve(name);
    try {
      return Files.createDirectories(into).resolve("0.log");
    } catch (IOException e) {
      throw StateFiles.failed("make", into, e);
    }
  }
}

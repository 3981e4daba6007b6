package io.ocicat.daemon.call;

import io.ocicat.base.Deadline;
import io.ocicat.daemon.state.AttachmentKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Ends external plugins that a killed process of ours had executed. They go on without it, and one
 * that is about to allocate an address would do so after the DEL that was to release it. So
 * whatever finishes a killed call ends them first: they get a moment to end by themselves, because
 * most of them are nearly done, and are killed after that.
 *
 * <p>They are found by their environment ({@link CallersExec}) rather than by a process id in the
 * journal: that could only be written after the process was started, and a kill in between would
 * lose it. The caller holds the attachment's lock, so no process that is found works for a call
 * that is still in progress.
 *
 * @param runDirectory which tells our delegates from those of another installation
 */
record OrphanedDelegates(Path runDirectory) {
  private static final Path PROC = Path.of("/proc");
  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final Duration KILLED_WITHIN = Duration.ofSeconds(2);
  private static final long POLL_MILLIS = 5;

  void end(AttachmentKey key) {
    if (find(key).isEmpty() || awaitEnd(key, GRACE, false)) {
      return;
    }
    awaitEnd(key, KILLED_WITHIN, true);
  }

  private boolean awaitEnd(AttachmentKey key, Duration limit, boolean kill) {
    Deadline deadline = Deadline.in(limit);
    while (!deadline.hasPassed()) {
      // Searched for each time: they may have started others.
      List<ProcessHandle> running = find(key);
      if (running.isEmpty()) {
        return true;
      }
      if (kill) {
        running.forEach(ProcessHandle::destroyForcibly);
      }
      try {
        Thread.sleep(POLL_MILLIS);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return find(key).isEmpty();
  }

  private List<ProcessHandle> find(AttachmentKey key) {
    String within = variable(CallersExec.WITHIN, key.toString());
    String ours = variable(CallersExec.RUN_DIRECTORY, runDirectory.toString());
    List<ProcessHandle> found = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : processes) {
        String environment = environment(process);
        if (environment.contains(within) && environment.contains(ours)) {
          running(process).ifPresent(found::add);
        }
      }
    } catch (IOException | DirectoryIteratorException _) {
      // Without /proc none can be found.
      return List.of();
    }
    return found;
  }

  private static String variable(String name, String value) {
    return "\0" + name + "=" + value + "\0";
  }

  /** Empty for a process that has ended, reaped or not. */
  private static String environment(Path process) {
    try {
      return "\0"
          + Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1)
          + "\0";
    } catch (IOException _) {
      return "";
    }
  }

  /** A process that created its own session is a daemon that the plugin left running on purpose. */
  private static Optional<ProcessHandle> running(Path process) {
    try {
      long pid = Long.parseLong(process.getFileName().toString());
      String stat = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
      // The name before the state is in parentheses and may itself contain some.
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      boolean ownSession = Long.parseLong(fields[3]) == pid;
      return ownSession || pid == ProcessHandle.current().pid()
          ? Optional.empty()
          : ProcessHandle.of(pid);
    } catch (IOException | NumberFormatException _) {
      return Optional.empty();
    }
  }
}

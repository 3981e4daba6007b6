package io.ocicat.cni.exec;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.ocicat.base.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * A process and all its descendants. It is terminated with SIGTERM first, so that a plugin can
 * clean up, and with SIGKILL after a grace period.
 *
 * <p>Java does not support process groups, so the tree is read from /proc, and again before SIGKILL
 * because it may have grown. Descendants whose parent has already ended are not found.
 */
final class ProcessTree {
  private static final Duration KILLED_WITHIN = Duration.ofSeconds(2);
  private static final int MAX_ROUNDS = 10;
  private static final long POLL_MILLIS = 2;

  private final ProcessHandle root;
  private final Set<ProcessHandle> members = new LinkedHashSet<>();
  private final Runnable meanwhile;

  /**
   * @param meanwhile called often while waiting: drains the output, so that nothing blocks on it
   */
  ProcessTree(Process process, Runnable meanwhile) {
    this.root = process.toHandle();
    this.meanwhile = meanwhile;
  }

  /** Ends it; returns which signal was needed, or that not even SIGKILL helped. */
  String end(Duration grace) {
    lookUp();
    // Process.destroy would also close the streams, and lose the plugin's last output.
    members.forEach(ProcessHandle::destroy);
    if (awaitEnd(grace)) {
      return "stopped with SIGTERM";
    }
    boolean grown = true;
    for (int round = 0; grown && round < MAX_ROUNDS; round++) {
      lookUp();
      members.forEach(ProcessHandle::destroyForcibly);
      grown = lookUp();
    }
    return awaitEnd(KILLED_WITHIN)
        ? "did not end %s after SIGTERM, killed with SIGKILL".formatted(Deadline.describe(grace))
        : "still running after SIGKILL";
  }

  /** Returns whether there are new descendants. */
  private boolean lookUp() {
    boolean grown = members.add(root);
    for (ProcessHandle member : Set.copyOf(members)) {
      grown |= members.addAll(member.descendants().toList());
    }
    return grown;
  }

  /** A process that is dead but not reaped by its new parent counts as gone. */
  private static boolean isRunning(ProcessHandle process) {
    if (!process.isAlive()) {
      return false;
    }
    try {
      String stat =
          Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"), ISO_8859_1);
      // The name before the state is in parentheses and may itself contain some.
      return "ZX".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) < 0;
    } catch (IOException _) {
      return process.isAlive();
    }
  }

  private boolean awaitEnd(Duration limit) {
    Deadline deadline = Deadline.in(limit);
    boolean interrupted = false;
    while (members.stream().anyMatch(ProcessTree::isRunning) && !deadline.hasPassed()) {
      meanwhile.run();
      try {
        Thread.sleep(POLL_MILLIS);
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return members.stream().noneMatch(ProcessTree::isRunning);
  }
}

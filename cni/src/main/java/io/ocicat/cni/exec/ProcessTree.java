package io.ocicat.cni.exec;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * A process and all that it started. Ending it is a request first (SIGTERM), so that a plugin can
 * clean up, and an order (SIGKILL) after a grace period.
 *
 * <p>Java knows nothing of process groups, so the tree is looked up in /proc, and looked up again
 * before the order because it may have grown. Descendants whose parent ended before belong to
 * nobody and are not found.
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

  /** Ends it; says which signal it took, or that not even SIGKILL helped. */
  String end(Duration grace) {
    lookUp();
    // Process.destroy would also close the streams, and with them what the plugin says at the end.
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

  /** Says whether there is anybody new. */
  private boolean lookUp() {
    boolean grown = members.add(root);
    for (ProcessHandle member : Set.copyOf(members)) {
      grown |= members.addAll(member.descendants().toList());
    }
    return grown;
  }

  /**
   * A process that is dead but not reaped, because its new parent does not care, is gone for us.
   */
  private static boolean isRunning(ProcessHandle process) {
    if (!process.isAlive()) {
      return false;
    }
    try {
      String stat =
          Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"), ISO_8859_1);
      // The name before the state is in parentheses and may itself hold some.
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

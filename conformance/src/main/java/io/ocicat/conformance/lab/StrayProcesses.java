package io.ocicat.conformance.lab;

import io.ocicat.base.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds processes that run in a lab's namespaces. Whatever a plugin starts inherits the host's
 * namespace from it, or is put into a container's, whatever its parent is by then.
 */
final class StrayProcesses {
  /** For children that are about to end when their parent has just ended. */
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  private static final long POLL_MILLIS = 20;

  private StrayProcesses() {}

  /** The processes that are still there after a moment. */
  static List<ProcessHandle> in(Collection<LabNamespace> namespaces) {
    Deadline deadline = Deadline.in(TIMEOUT);
    List<ProcessHandle> found = now(namespaces);
    while (!found.isEmpty() && !deadline.hasPassed()) {
      pause();
      found = now(namespaces);
    }
    return found;
  }

  /** Kills them, repeatedly while there are new ones, but not forever. */
  static void kill(Collection<LabNamespace> namespaces) {
    Deadline deadline = Deadline.in(TIMEOUT.multipliedBy(5));
    for (List<ProcessHandle> found = now(namespaces);
        !found.isEmpty() && !deadline.hasPassed();
        found = now(namespaces)) {
      found.forEach(ProcessHandle::destroyForcibly);
      pause();
    }
  }

  private static List<ProcessHandle> now(Collection<LabNamespace> namespaces) {
    Set<String> ids =
        namespaces.stream()
            .map(namespace -> "net:[" + namespace.handle().id().inode() + "]")
            .collect(Collectors.toUnmodifiableSet());
    return ProcessHandle.allProcesses().filter(process -> isIn(process, ids)).toList();
  }

  private static boolean isIn(ProcessHandle process, Set<String> ids) {
    if (process.pid() == ProcessHandle.current().pid()) {
      return false;
    }
    try {
      Path link = Path.of("/proc", Long.toString(process.pid()), "ns", "net");
      // A zombie has no namespaces any more.
      return ids.contains(Files.readSymbolicLink(link).toString());
    } catch (IOException _) {
      return false;
    }
  }

  private static void pause() {
    try {
      Thread.sleep(POLL_MILLIS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}

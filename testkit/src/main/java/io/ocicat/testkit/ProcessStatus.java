package io.ocicat.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A running process according to {@code /proc/<pid>/stat} (proc(5)).
 *
 * <p>{@link ProcessHandle#isAlive} also counts zombies, which some init processes take seconds to
 * reap; here such a process is gone, once its last thread is: until then it still has its files and
 * the ports that it listens on.
 */
record ProcessStatus(long startTicks) {

  /** Empty when no such process runs. */
  static Optional<ProcessStatus> of(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      // Counted from after the command's name, which may contain blanks and parentheses.
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      boolean ended = fields[0].equals("Z") || fields[0].equals("X");
      boolean dead = ended && Integer.parseInt(fields[17]) <= 1;
      return dead ? Optional.empty() : Optional.of(new ProcessStatus(Long.parseLong(fields[19])));
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  static boolean isRunning(long pid) {
    return of(pid).isPresent();
  }

  /** The same, and its process id has not been reused. */
  static boolean isRunning(ProcessHandle process) {
    return process.isAlive() && isRunning(process.pid());
  }
}

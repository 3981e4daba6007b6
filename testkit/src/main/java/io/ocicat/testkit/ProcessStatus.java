package io.ocicat.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A running process as {@code /proc/<pid>/stat} shows it (proc(5)).
 *
 * <p>{@link ProcessHandle#isAlive} also counts what is dead but not yet buried by its parent, and
 * some init processes take seconds for that; here such a process is gone.
 */
record ProcessStatus(long startTicks) {

  /** Empty when no such process runs. */
  static Optional<ProcessStatus> of(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      // Counted from behind the command's name, which may hold blanks and parentheses.
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      boolean dead = fields[0].equals("Z") || fields[0].equals("X");
      return dead ? Optional.empty() : Optional.of(new ProcessStatus(Long.parseLong(fields[19])));
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  static boolean isRunning(long pid) {
    return of(pid).isPresent();
  }

  /** As above, and its process id has not been given to another one meanwhile. */
  static boolean isRunning(ProcessHandle process) {
    return process.isAlive() && isRunning(process.pid());
  }
}

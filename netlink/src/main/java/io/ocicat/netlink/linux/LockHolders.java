package io.ocicat.netlink.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Finds the holder of a lock in /proc/locks, for the message of a process that could not get it.
 */
final class LockHolders {
  private LockHolders() {}

  /**
   * For instance {@code , held by process 1234 (host-local)}; empty when the kernel does not say,
   * as for processes outside our pid namespace.
   */
  static String of(Fd.FileId file) {
    String name =
        "%02x:%02x:%d".formatted(major(file.device()), minor(file.device()), file.inode());
    try {
      String holders =
          Files.readAllLines(Path.of("/proc/locks")).stream()
              .map(line -> List.of(line.split("\\s+", -1)))
              // "7: FLOCK ADVISORY WRITE 1234 fd:01:5678 0 EOF"; waiters have an arrow after the
              // number.
              .filter(words -> words.size() > 5 && words.get(1).equals("FLOCK"))
              .filter(words -> words.get(5).equals(name))
              .map(words -> words.get(4))
              .filter(pid -> pid.matches("[1-9]\\d*"))
              .map(pid -> pid + command(pid))
              .collect(Collectors.joining(", "));
      return holders.isEmpty() ? "" : ", held by process " + holders;
    } catch (IOException e) {
      return "";
    }
  }

  private static String command(String pid) {
    try {
      return " (" + Files.readString(Path.of("/proc", pid, "comm")).strip() + ")";
    } catch (IOException e) {
      return "";
    }
  }

  private static long major(long device) {
    return (device >>> 8) & 0xfff;
  }

  private static long minor(long device) {
    return (device & 0xff) | ((device >>> 12) & 0xfff00);
  }
}

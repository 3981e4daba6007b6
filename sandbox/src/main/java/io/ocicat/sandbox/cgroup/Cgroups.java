package io.ocicat.sandbox.cgroup;

import io.ocicat.netlink.linux.Kernel;
import io.ocicat.netlink.linux.Syscall;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * The cgroup hierarchies that are mounted. A group is named by its path from their root, such as
 * {@code /kubepods/pod1/2b4e}. Thread-safe.
 */
public final class Cgroups {
  private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
  private static final Path ROOT = Path.of("/sys/fs/cgroup");
  private static final int MOUNT_POINT = 4;
  private static final int SIGKILL = 9;
  private static final Duration KILL_LIMIT = Duration.ofSeconds(5);
  private static final long PAUSE_NANOS = 2_000_000;

  private Cgroups() {}

  /** Whether the second version has all controllers; beside the first it has none. */
  public static boolean isUnified() {
    return Files.exists(ROOT.resolve("cgroup.controllers"));
  }

  /** Whether limits for huge pages can be set; runc fails to create a container otherwise. */
  public static boolean hasHugePages() {
    return isUnified()
        ? controllers().contains("hugetlb")
        : Files.isDirectory(ROOT.resolve("hugetlb"));
  }

  /** Whether the sum of memory and swap can be limited. */
  public static boolean limitsSwap() {
    if (!isUnified()) {
      return Files.exists(ROOT.resolve("memory/memory.memsw.limit_in_bytes"));
    }
    // The root group has no such file, all others do.
    try (Stream<Path> groups = Files.list(ROOT)) {
      return groups.anyMatch(group -> Files.exists(group.resolve("memory.swap.max")));
    } catch (IOException _) {
      return false;
    }
  }

  private static List<String> controllers() {
    return text(ROOT.resolve("cgroup.controllers"))
        .map(text -> List.of(text.split(" ", -1)))
        .orElse(List.of());
  }

  /**
   * The directory of a group whose files belong to a controller of the first version, or to the
   * second version; empty when there is none.
   */
  static Optional<Path> folder(String group, String controller) {
    Path folder = (isUnified() ? ROOT : ROOT.resolve(controller)).resolve(group.substring(1));
    return Files.isDirectory(folder) ? Optional.of(folder) : Optional.empty();
  }

  /** Whether any hierarchy has it. */
  public static boolean exists(String group) {
    return !group.isEmpty() && !folders(group).isEmpty();
  }

  private static List<Path> folders(String group) {
    return hierarchies().stream()
        .map(hierarchy -> hierarchy.resolve(group.substring(1)))
        .filter(folder -> Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS))
        .toList();
  }

  /**
   * Removes a group from every hierarchy. runc removes those of containers, not the one above. The
   * kernel refuses as long as it has a process or another group.
   */
  public static void removeIfEmpty(String group) {
    for (Path folder : folders(group)) {
      remove(folder);
    }
  }

  private static void remove(Path folder) {
    try {
      Files.deleteIfExists(folder);
    } catch (IOException _) {
      // Still in use, or not ours to remove: then it is not a leak either.
    }
  }

  /** Kills every process in a group and below it, and removes the group. */
  public static void destroy(String group) {
    long deadline = System.nanoTime() + KILL_LIMIT.toNanos();
    List<Path> folders = folders(group);
    while (!folders.isEmpty() && System.nanoTime() - deadline < 0) {
      boolean killed = false;
      for (Path folder : folders) {
        for (Path each : deepestFirst(folder)) {
          killed |= kill(each);
          remove(each);
        }
      }
      folders = folders(group);
      if (killed || !folders.isEmpty()) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /** Kills every process in a group and below it. */
  public static void killAll(String group) {
    for (Path folder : folders(group)) {
      deepestFirst(folder).forEach(Cgroups::kill);
    }
  }

  private static boolean kill(Path folder) {
    List<String> processes = lines(folder.resolve("cgroup.procs"));
    for (String each : processes) {
      try {
        long pid = Long.parseLong(each);
        if (pid > 1) {
          Kernel.call(Syscall.KILL, pid, SIGKILL);
        }
      } catch (NumberFormatException _) {
        // Not a process that this PID namespace has.
      }
    }
    return !processes.isEmpty();
  }

  private static List<Path> deepestFirst(Path folder) {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> below =
        Files.newDirectoryStream(folder, each -> Files.isDirectory(each))) {
      below.forEach(each -> found.addAll(deepestFirst(each)));
    } catch (IOException _) {
      // It has just ended.
    }
    found.add(folder);
    return found;
  }

  static List<String> lines(Path file) {
    return text(file)
        .map(text -> text.lines().filter(line -> !line.isBlank()).toList())
        .orElse(List.of());
  }

  static Optional<String> text(Path file) {
    try {
      return Optional.of(Files.readString(file).strip());
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  private static List<Path> hierarchies() {
    try (Stream<String> lines = Files.lines(MOUNTS)) {
      return lines
          .filter(line -> line.contains(" - cgroup ") || line.contains(" - cgroup2 "))
          .map(line -> Path.of(line.split(" ", -1)[MOUNT_POINT]))
          .toList();
    } catch (IOException _) {
      return List.of();
    }
  }
}

package io.ocicat.sandbox.infra;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The kernel's cgroup directories, of both versions. */
final class Cgroups {
  private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
  private static final int MOUNT_POINT = 4;

  private Cgroups() {}

  /**
   * Removes a group from every hierarchy. runc removes those of containers, not the one above. The
   * kernel refuses as long as it has a process or another group.
   */
  static void removeIfEmpty(String group) {
    for (Path hierarchy : hierarchies()) {
      try {
        Files.deleteIfExists(hierarchy.resolve(group.substring(1)));
      } catch (IOException _) {
        // Still in use, or not ours to remove: then it is not a leak either.
      }
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

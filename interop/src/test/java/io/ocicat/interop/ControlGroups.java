package io.ocicat.interop;

import io.ocicat.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Control groups that containers were in, in the hierarchies of all controllers: the kernel keeps
 * them when the last process has ended.
 */
public final class ControlGroups {
  private static final Path ALL = Path.of("/sys/fs/cgroup");
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private ControlGroups() {}

  /** Removes a group with all below it, once its processes have ended. */
  public static void remove(String name) throws IOException {
    for (Path group : find(name::equals)) {
      Eventually.await("the end of " + group, LIMIT, () -> isRemoved(group));
    }
  }

  /** Removes the groups of a kind that are empty. */
  static void removeStale(Predicate<String> kind) throws IOException {
    find(kind).forEach(ControlGroups::isRemoved);
  }

  private static List<Path> find(Predicate<String> kind) throws IOException {
    try (Stream<Path> groups = Files.find(ALL, 2, (_, what) -> what.isDirectory())) {
      return groups.filter(group -> kind.test(group.getFileName().toString())).toList();
    }
  }

  /** The kernel keeps a group for a moment longer than the last process in it. */
  private static boolean isRemoved(Path top) {
    if (Files.notExists(top)) {
      return true;
    }
    try (Stream<Path> groups = Files.walk(top)) {
      for (Path group :
          groups.filter(Files::isDirectory).sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(group);
      }
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}

package io.ocicat.sandbox.cgroup;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What the processes of a group used up; {@link #UNKNOWN} where the kernel does not say.
 *
 * @param workingSet the memory that cannot be reclaimed at once
 * @param available up to the limit; unknown without one
 */
public record CgroupUsage(
    long cpuNanos,
    long memory,
    long workingSet,
    long available,
    long rss,
    long pageFaults,
    long majorPageFaults,
    long swap,
    long swapAvailable) {
  public static final long UNKNOWN = -1;

  /** Version 1 states the absence of a limit as a huge number. */
  private static final long NO_LIMIT = 1L << 62;

  private static final long MICRO = 1000;

  /** Empty when the group does not exist. */
  public static Optional<CgroupUsage> of(String group) {
    if (group.isEmpty()) {
      return Optional.empty();
    }
    return Cgroups.isUnified()
        ? Cgroups.folder(group, "").flatMap(CgroupUsage::unified)
        : Cgroups.folder(group, "memory")
            .flatMap(
                memory -> Cgroups.folder(group, "cpuacct").flatMap(cpu -> versionOne(memory, cpu)));
  }

  static Optional<CgroupUsage> versionOne(Path memory, Path cpu) {
    long usage = number(memory.resolve("memory.usage_in_bytes"));
    if (usage == UNKNOWN) {
      return Optional.empty();
    }
    Map<String, Long> stat = table(memory.resolve("memory.stat"));
    long workingSet = Math.max(0, usage - stat.getOrDefault("total_inactive_file", 0L));
    long limit = number(memory.resolve("memory.limit_in_bytes"));
    long both = number(memory.resolve("memory.memsw.usage_in_bytes"));
    long bothLimit = number(memory.resolve("memory.memsw.limit_in_bytes"));
    long swap = both == UNKNOWN ? UNKNOWN : Math.max(0, both - usage);
    return Optional.of(
        new CgroupUsage(
            number(cpu.resolve("cpuacct.usage")),
            usage,
            workingSet,
            left(limit, workingSet),
            stat.getOrDefault("total_rss", UNKNOWN),
            stat.getOrDefault("total_pgfault", UNKNOWN),
            stat.getOrDefault("total_pgmajfault", UNKNOWN),
            swap,
            isLimit(bothLimit) && isLimit(limit) ? left(bothLimit - limit, swap) : UNKNOWN));
  }

  static Optional<CgroupUsage> unified(Path folder) {
    long usage = number(folder.resolve("memory.current"));
    if (usage == UNKNOWN) {
      return Optional.empty();
    }
    Map<String, Long> stat = table(folder.resolve("memory.stat"));
    long workingSet = Math.max(0, usage - stat.getOrDefault("inactive_file", 0L));
    long cpu = table(folder.resolve("cpu.stat")).getOrDefault("usage_usec", UNKNOWN);
    long swap = number(folder.resolve("memory.swap.current"));
    return Optional.of(
        new CgroupUsage(
            cpu == UNKNOWN ? UNKNOWN : cpu * MICRO,
            usage,
            workingSet,
            left(number(folder.resolve("memory.max")), workingSet),
            stat.getOrDefault("anon", UNKNOWN),
            stat.getOrDefault("pgfault", UNKNOWN),
            stat.getOrDefault("pgmajfault", UNKNOWN),
            swap,
            left(number(folder.resolve("memory.swap.max")), swap)));
  }

  private static boolean isLimit(long limit) {
    return limit >= 0 && limit < NO_LIMIT;
  }

  private static long left(long limit, long used) {
    return isLimit(limit) && used != UNKNOWN ? Math.max(0, limit - used) : UNKNOWN;
  }

  /** {@code max} is not a number either. */
  private static long number(Path file) {
    try {
      return Cgroups.text(file).map(Long::parseLong).orElse(UNKNOWN);
    } catch (NumberFormatException _) {
      return UNKNOWN;
    }
  }

  private static Map<String, Long> table(Path file) {
    Map<String, Long> table = new HashMap<>();
    for (String line : Cgroups.lines(file)) {
      int gap = line.indexOf(' ');
      try {
        table.put(line.substring(0, Math.max(gap, 0)), Long.parseLong(line.substring(gap + 1)));
      } catch (NumberFormatException _) {
        // A line of another form than we look for.
      }
    }
    return table;
  }
}

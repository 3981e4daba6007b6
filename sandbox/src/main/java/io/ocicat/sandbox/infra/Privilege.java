package io.ocicat.sandbox.infra;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What this process may do and pass on: less than root of a host where it runs in a container. */
public final class Privilege {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String EFFECTIVE = "CapEff:";
  private static final String BOUNDING = "CapBnd:";
  private static final String SYS_RESOURCE = "CAP_SYS_RESOURCE";
  private static final String OPEN_FILES = "Max open files";
  private static final int HARD_LIMIT = 1;
  private static final long ALL_IDS = 4_294_967_295L;

  /** By their numbers. */
  private static final List<String> CAPABILITIES =
      List.of(
          "CAP_CHOWN",
          "CAP_DAC_OVERRIDE",
          "CAP_DAC_READ_SEARCH",
          "CAP_FOWNER",
          "CAP_FSETID",
          "CAP_KILL",
          "CAP_SETGID",
          "CAP_SETUID",
          "CAP_SETPCAP",
          "CAP_LINUX_IMMUTABLE",
          "CAP_NET_BIND_SERVICE",
          "CAP_NET_BROADCAST",
          "CAP_NET_ADMIN",
          "CAP_NET_RAW",
          "CAP_IPC_LOCK",
          "CAP_IPC_OWNER",
          "CAP_SYS_MODULE",
          "CAP_SYS_RAWIO",
          "CAP_SYS_CHROOT",
          "CAP_SYS_PTRACE",
          "CAP_SYS_PACCT",
          "CAP_SYS_ADMIN",
          "CAP_SYS_BOOT",
          "CAP_SYS_NICE",
          SYS_RESOURCE,
          "CAP_SYS_TIME",
          "CAP_SYS_TTY_CONFIG",
          "CAP_MKNOD",
          "CAP_LEASE",
          "CAP_AUDIT_WRITE",
          "CAP_AUDIT_CONTROL",
          "CAP_SETFCAP",
          "CAP_MAC_OVERRIDE",
          "CAP_MAC_ADMIN",
          "CAP_SYSLOG",
          "CAP_WAKE_ALARM",
          "CAP_BLOCK_SUSPEND",
          "CAP_AUDIT_READ",
          "CAP_PERFMON",
          "CAP_BPF",
          "CAP_CHECKPOINT_RESTORE");

  private Privilege() {}

  /** All that Linux has, by their numbers. */
  public static List<String> capabilities() {
    return CAPABILITIES;
  }

  /** Those that this process can pass on. */
  public static Set<String> boundingSet() {
    return set(BOUNDING);
  }

  /** Whether this process may lower OOM scores, which protects against the OOM killer. */
  public static boolean mayLowerOomScore() {
    return isHostRoot() && set(EFFECTIVE).contains(SYS_RESOURCE);
  }

  /** Its own score adjustment, which children inherit. */
  public static long oomScoreAdj() {
    try {
      return Long.parseLong(Files.readString(Path.of("/proc/self/oom_score_adj")).strip());
    } catch (IOException | NumberFormatException _) {
      return 0;
    }
  }

  /** The hard limit on open files, which cannot be exceeded without privilege. */
  public static long mostOpenFiles() {
    try {
      return Files.readAllLines(Path.of("/proc/self/limits")).stream()
          .filter(line -> line.startsWith(OPEN_FILES))
          .map(line -> line.substring(OPEN_FILES.length()).strip().split(" +", -1))
          .mapToLong(columns -> Long.parseLong(columns[HARD_LIMIT]))
          .findFirst()
          .orElse(Long.MAX_VALUE);
    } catch (IOException | NumberFormatException _) {
      return Long.MAX_VALUE;
    }
  }

  /**
   * Whether root here is the host's. Root of a user namespace may not create cgroups, unless some
   * were delegated to it.
   */
  static boolean isHostRoot() {
    try {
      String map = Files.readString(Path.of("/proc/self/uid_map")).strip();
      return Long.parseLong(map.substring(map.lastIndexOf(' ') + 1)) == ALL_IDS;
    } catch (IOException | NumberFormatException _) {
      return false;
    }
  }

  private static Set<String> set(String which) {
    Set<String> found = new LinkedHashSet<>();
    try {
      long bits =
          Files.readAllLines(STATUS).stream()
              .filter(line -> line.startsWith(which))
              .mapToLong(line -> Long.parseUnsignedLong(line.substring(which.length()).strip(), 16))
              .findFirst()
              .orElse(0);
      for (int i = 0; i < CAPABILITIES.size(); i++) {
        if ((bits >>> i & 1) == 1) {
          found.add(CAPABILITIES.get(i));
        }
      }
    } catch (IOException | NumberFormatException _) {
      // Without procfs there are no containers either.
    }
    return found;
  }
}

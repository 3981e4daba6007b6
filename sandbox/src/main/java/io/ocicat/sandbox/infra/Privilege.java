package io.ocicat.sandbox.infra;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Checks for privileges beyond those of root in a container. */
final class Privilege {
  private static final int CAP_SYS_RESOURCE = 24;
  private static final String EFFECTIVE = "CapEff:";
  private static final long ALL_IDS = 4_294_967_295L;

  private Privilege() {}

  /** Whether this process may lower OOM scores, which protects against the OOM killer. */
  static boolean mayLowerOomScore() {
    return isHostRoot() && hasCapability(CAP_SYS_RESOURCE);
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

  private static boolean hasCapability(int number) {
    try {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith(EFFECTIVE))
          .map(line -> Long.parseUnsignedLong(line.substring(EFFECTIVE.length()).strip(), 16))
          .anyMatch(set -> (set >>> number & 1) == 1);
    } catch (IOException | NumberFormatException _) {
      return false;
    }
  }
}

package io.ocicat.sandbox.container.life;

import io.ocicat.netlink.linux.FileStat;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.conmon.Conmon;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Makes a container write to a new log file. kubelet renames the old one before, and expects the
 * new one to exist when the call returns, and not to exist when it fails.
 */
final class LogRotation {
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final long PAUSE_NANOS = 2_000_000;

  private LogRotation() {}

  static void reopen(Conmon conmon, String id, Path log) {
    Optional<FileStat> before = stat(log);
    conmon.reopenLog(id);
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!isAnother(stat(log), before)) {
      if (System.nanoTime() - deadline >= 0) {
        throw new SandboxException(
            Reason.FAILED,
            "log %s was not created again within %d s".formatted(log, LIMIT.toSeconds()));
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private static boolean isAnother(Optional<FileStat> now, Optional<FileStat> before) {
    return now.isPresent() && !now.map(FileStat::id).equals(before.map(FileStat::id));
  }

  private static Optional<FileStat> stat(Path file) {
    try {
      return Optional.of(FileStat.of(file));
    } catch (NetlinkException _) {
      return Optional.empty();
    }
  }
}

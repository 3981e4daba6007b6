package io.ocicat.bench;

import java.time.Duration;

/**
 * Reads the CPU time that processes have used, in nanoseconds: it says more than a clock when
 * others run.
 */
final class CpuUsage {
  private CpuUsage() {}

  static long ofThisProcess() {
    return of(ProcessHandle.current());
  }

  static long of(ProcessHandle process) {
    return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
  }
}

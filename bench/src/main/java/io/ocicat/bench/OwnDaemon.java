package io.ocicat.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A running ocicatd that belongs to the benchmark. */
final class OwnDaemon implements AutoCloseable {
  private static final Duration STARTING = Duration.ofSeconds(30);

  private final Process process;

  private OwnDaemon(Process process) {
    this.process = process;
  }

  /** Starts one and waits until it serves. */
  static OwnDaemon start(BenchHost benchHost) throws IOException, InterruptedException {
    Path log = benchHost.folder().resolve("log");
    Process process =
        benchHost
            .command(benchHost.home().resolve("bin/ocicat").toString(), "daemon")
            .redirectError(log.toFile())
            .start();
    long deadline = System.nanoTime() + STARTING.toNanos();
    while (!Files.exists(log) || !Files.readString(log).contains("serving")) {
      if (System.nanoTime() > deadline || !process.isAlive()) {
        throw new IOException("the daemon did not start: " + Files.readString(log));
      }
      Thread.sleep(2);
    }
    return new OwnDaemon(process);
  }

  /** Its resident memory. */
  double residentMib() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/%d/status".formatted(process.pid())))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) / 1024.0;
      }
    }
    throw new IOException("the daemon is gone");
  }

  Duration cpuTime() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Lets it end in its own time, within reason. */
  @Override
  public void close() {
    process.destroy();
    try {
      process.waitFor(60, TimeUnit.SECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}

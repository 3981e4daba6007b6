package io.ocicat.daemon.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The memory, threads and descriptors that this process uses. Read from /proc and {@link Runtime}:
 * the management beans would cost megabytes.
 */
public record ProcessNumbers(long residentBytes, long heapBytes, int threads, int descriptors) {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

  public static ProcessNumbers now() {
    long resident = 0;
    int threads = 0;
    int descriptors = 0;
    try {
      for (String line : Files.readAllLines(STATUS)) {
        if (line.startsWith("VmRSS:")) {
          resident = number(line) << 10;
        } else if (line.startsWith("Threads:")) {
          threads = (int) number(line);
        }
      }
      try (var open = Files.list(DESCRIPTORS)) {
        descriptors = (int) open.count();
      }
    } catch (IOException _) {
      // Without /proc these are unknown; the rest is still worth reporting.
    }
    Runtime runtime = Runtime.getRuntime();
    return new ProcessNumbers(
        resident, runtime.totalMemory() - runtime.freeMemory(), threads, descriptors);
  }

  private static long number(String line) {
    return Long.parseLong(line.replaceAll("\\D", ""));
  }

  void writeTo(Exposition out) {
    String gauge = "gauge";
    out.single("process_resident_memory_bytes", gauge, "Resident memory.", residentBytes);
    out.single("ocicat_heap_used_bytes", gauge, "Java heap in use.", heapBytes);
    out.single("ocicat_threads", gauge, "Threads of the process.", threads);
    out.single("process_open_fds", gauge, "Open descriptors.", descriptors);
  }
}

package io.ocicat.conformance.lab;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.ocicat.netlink.ns.NamedNetNs;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Names the namespaces and directories of a run after its process: {@code cnf-<process id>-<when it
 * started>-<number>}. So the next run knows which are stale.
 */
final class ScratchNames {
  private static final Pattern FORMAT = Pattern.compile("cnf-(\\d{1,10})-([0-9a-z]{1,13})-.+");
  private static final int MOST_RUNS = 10_000;

  /** All runs share one directory of namespace names, wherever a run has its own files. */
  private static final AtomicInteger RUNS = new AtomicInteger();

  private ScratchNames() {}

  /** A directory for the owner alone, with a unique name. */
  static Path newDirectory(Path parent) throws IOException {
    ProcessHandle self = ProcessHandle.current();
    for (int attempt = 1; attempt <= MOST_RUNS; attempt++) {
      int run = RUNS.incrementAndGet();
      Path directory = parent.resolve("cnf-%d-%s-%d".formatted(self.pid(), start(self), run));
      try {
        return Files.createDirectory(
            directory,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      } catch (FileAlreadyExistsException _) {
        // Another run in this process.
      }
    }
    throw new IOException(MOST_RUNS + " runs at once in one process");
  }

  /** Removes namespaces and directories of runs that have ended. */
  static void removeStale(Path parent) throws IOException {
    NamedNetNs named = NamedNetNs.standard();
    named.list().stream().filter(ScratchNames::ownerIsGone).forEach(named::remove);
    try (Stream<Path> directories = Files.list(parent)) {
      directories
          .filter(directory -> ownerIsGone(directory.getFileName().toString()))
          .forEach(Scratch::delete);
    }
  }

  private static boolean ownerIsGone(String name) {
    Matcher parts = FORMAT.matcher(name);
    return parts.matches()
        && ProcessHandle.of(Long.parseLong(parts.group(1)))
            .filter(owner -> start(owner).equals(parts.group(2)))
            .filter(ScratchNames::isRunning)
            .isEmpty();
  }

  /** A zombie, which only waits for its parent, counts as dead. */
  private static boolean isRunning(ProcessHandle process) {
    try {
      Path stat = Path.of("/proc", Long.toString(process.pid()), "stat");
      String text = Files.readString(stat, ISO_8859_1);
      // The name before the state is in parentheses and may itself contain some.
      return "ZX".indexOf(text.charAt(text.lastIndexOf(')') + 2)) < 0;
    } catch (IOException _) {
      return false;
    }
  }

  private static String start(ProcessHandle process) {
    Optional<Instant> start = process.info().startInstant();
    return Long.toString(start.map(Instant::toEpochMilli).orElse(0L), 36);
  }
}

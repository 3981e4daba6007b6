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
 * Names for what runs make on the machine, that tell whose it is: {@code cnf-<process id>-<when it
 * started>-<number>}. So the next run knows what belongs to nobody any more.
 */
final class ScratchNames {
  private static final Pattern FORMAT = Pattern.compile("cnf-(\\d{1,10})-([0-9a-z]{1,13})-.+");
  private static final int MOST_RUNS = 10_000;

  /** Namespaces have names in one place for all runs, wherever a run has its directory. */
  private static final AtomicInteger RUNS = new AtomicInteger();

  private ScratchNames() {}

  /** A directory that nobody else may look into, with a name that no other run has. */
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

  /** Removes namespaces and directories of runs that are no more. */
  static void sweep(Path parent) throws IOException {
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

  /** Not so a process that is dead and only waits for its parent to notice. */
  private static boolean isRunning(ProcessHandle process) {
    try {
      Path stat = Path.of("/proc", Long.toString(process.pid()), "stat");
      String text = Files.readString(stat, ISO_8859_1);
      // The name before the state is in parentheses and may itself hold some.
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

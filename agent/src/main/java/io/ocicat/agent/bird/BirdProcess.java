package io.ocicat.agent.bird;

import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Finds, starts and ends the BIRD of one run directory and network namespace. It is recognised by
 * its command line, which names our socket, and by its namespace: a pid file alone may name a
 * stranger after a restart of the machine. It detaches itself, so that it lives on when this
 * process ends.
 */
final class BirdProcess {
  private static final Path PROC = Path.of("/proc");
  private static final Duration START = Duration.ofSeconds(20);
  private static final Duration END = Duration.ofSeconds(5);
  private static final long PAUSE_MILLIS = 5;
  private static final List<Path> FOLDERS =
      List.of(Path.of("/usr/sbin"), Path.of("/usr/local/sbin"), Path.of("/sbin"));

  private final BirdFiles files;
  private final NetNs host;
  private final String executable;

  BirdProcess(BirdFiles files, NetNs host, String executable) {
    this.files = files;
    this.host = host;
    this.executable = executable;
  }

  /** Whether this process is our BIRD. */
  boolean isOurs(long pid) {
    List<String> argv = commandLine(pid);
    if (argv.isEmpty() || !isBird(argv.getFirst())) {
      return false;
    }
    int socket = argv.indexOf("-s");
    if (socket < 0
        || socket + 1 >= argv.size()
        || !argv.get(socket + 1).equals(files.socket().toString())) {
      return false;
    }
    try (NetNs namespace = NetNs.ofPid(pid)) {
      return namespace.id().equals(host.id());
    } catch (NetlinkException _) {
      return false;
    }
  }

  private boolean isBird(String program) {
    return Path.of(program).getFileName().equals(Path.of(executable).getFileName());
  }

  /** Empty for a process that has ended. */
  private static List<String> commandLine(long pid) {
    try {
      byte[] bytes = Files.readAllBytes(PROC.resolve(Long.toString(pid)).resolve("cmdline"));
      String text = new String(bytes, StandardCharsets.UTF_8);
      return text.isEmpty() ? List.of() : List.of(text.split("\0"));
    } catch (IOException | IllegalArgumentException _) {
      return List.of();
    }
  }

  /** The process of our BIRD, by its pid file, or else among all processes. */
  OptionalLong find() {
    OptionalLong named = pidInFile();
    if (named.isPresent() && isOurs(named.getAsLong())) {
      return named;
    }
    try (Stream<Path> processes = Files.list(PROC)) {
      return processes
          .map(path -> path.getFileName().toString())
          .filter(name -> Character.isDigit(name.charAt(0)))
          .mapToLong(Long::parseLong)
          .filter(this::isOurs)
          .findFirst();
    } catch (IOException _) {
      return OptionalLong.empty();
    }
  }

  OptionalLong pidInFile() {
    try {
      String text = Files.readString(files.pid()).strip();
      return text.matches("\\d{1,9}")
          ? OptionalLong.of(Long.parseLong(text))
          : OptionalLong.empty();
    } catch (IOException _) {
      return OptionalLong.empty();
    }
  }

  /** Checks a configuration without a running BIRD. */
  void check(Path configuration) {
    Outcome outcome = run(List.of("-p", "-c", configuration.toString()));
    if (outcome.code() != 0) {
      throw BirdException.InvalidConfiguration.of(outcome.lastLine());
    }
  }

  /**
   * Starts BIRD and returns once it has detached itself.
   *
   * @param recovering whether routes in the kernel and at the peers may be left of one that ran
   *     before: they then stay until the peers have announced theirs again
   */
  void start(boolean recovering) {
    List<String> options = new ArrayList<>();
    if (recovering) {
      options.add("-R");
    }
    options.addAll(List.of("-c", files.configuration().toString()));
    options.addAll(List.of("-s", files.socket().toString()));
    options.addAll(List.of("-P", files.pid().toString()));
    Outcome outcome = run(options);
    if (outcome.code() != 0) {
      throw new BirdException.Unreachable(
          "bird ends with code %d: %s".formatted(outcome.code(), outcome.lastLine()), null);
    }
  }

  private record Outcome(int code, String lastLine) {}

  private Outcome run(List<String> options) {
    List<String> argv = new ArrayList<>();
    argv.add(
        locate()
            .orElseThrow(
                () ->
                    new BirdException.Unreachable(
                        "%s is not installed: apt-get install bird2".formatted(executable), null))
            .toString());
    argv.addAll(options);
    try {
      files.create();
      Process process = host.call(() -> launch(argv));
      if (!process.waitFor(START.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        throw new BirdException.NoAnswer("bird did not start within " + START.toSeconds() + " s");
      }
      String said = BirdFiles.lastLine(files.output()).orElse("it says nothing");
      Files.deleteIfExists(files.output());
      return new Outcome(process.exitValue(), said.startsWith("bird: ") ? said.substring(6) : said);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new BirdException.NoAnswer("interrupted while bird starts");
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new BirdException.Unreachable("cannot execute bird: " + e.getMessage(), e);
    }
  }

  /** A child belongs to the namespace of the thread that starts it. */
  private Process launch(List<String> argv) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(argv);
    Map<String, String> environment = builder.environment();
    // The agent's variables may hold credentials; BIRD needs none of them.
    environment.keySet().retainAll(List.of("PATH", "TZ"));
    return builder
        .directory(Path.of("/").toFile())
        .redirectInput(Path.of("/dev/null").toFile())
        .redirectErrorStream(true)
        .redirectOutput(files.output().toFile())
        .start();
  }

  private Optional<Path> locate() {
    if (executable.contains("/")) {
      return Optional.of(Path.of(executable)).filter(Files::isExecutable);
    }
    String path = System.getenv().getOrDefault("PATH", "");
    return Stream.concat(
            Stream.of(path.split(":")).filter(folder -> !folder.isEmpty()).map(Path::of),
            FOLDERS.stream())
        .map(folder -> folder.resolve(executable))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Ends it at once. The kernel's and the peers' routes stay for one that recovers them. */
  void kill(long pid) {
    if (isOurs(pid)) {
      ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
      awaitEnd(pid);
    }
  }

  /** Returns whether it has ended in time. */
  boolean awaitEnd(long pid) {
    long deadline = System.nanoTime() + END.toNanos();
    while (isOurs(pid)) {
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return true;
  }
}

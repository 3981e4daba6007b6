package io.ocicat.agent.bird;

import io.ocicat.agent.bird.BirdFailures.Topic;
import io.ocicat.agent.kernel.RepairLog;
import io.ocicat.base.Backoff;
import io.ocicat.base.file.WholeFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The BIRD that runs, if any, and the connection to it: found or started, with backoff if it keeps
 * failing, and ended so that its peers and the kernel keep the routes.
 */
final class RunningBird implements AutoCloseable {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  /** A BIRD that has run that long did not fail at its start. */
  private static final Duration STEADY = Duration.ofSeconds(2);

  private static final long PAUSE_MILLIS = 2;

  private final BirdFiles files;
  private final BirdSettings settings;
  private final BirdProcess process;
  private final BirdFailures failures;
  private final RepairLog log;
  private final Backoff backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
  private @Nullable BirdControl control;
  private @Nullable FileIdentity socket;
  private long pid;
  private long started = System.nanoTime();
  private long nextStart = started;

  RunningBird(
      BirdFiles files,
      BirdSettings settings,
      BirdProcess process,
      BirdFailures failures,
      RepairLog log) {
    this.files = files;
    this.settings = settings;
    this.process = process;
    this.failures = failures;
    this.log = log;
  }

  long pid() {
    return pid;
  }

  boolean isConnected() {
    return control != null;
  }

  /** Whether one runs; one that another agent started is adopted. */
  boolean find() {
    if (isAlive()) {
      return true;
    }
    OptionalLong found = process.find();
    if (pid != 0 && found.isEmpty()) {
      log.write(
          "BIRD (pid %d) has ended without being asked to%s: it is started again"
              .formatted(pid, lastWords()));
    }
    if (pid != 0) {
      backOff();
    }
    forget();
    if (found.isPresent()) {
      pid = found.getAsLong();
      started = System.nanoTime();
      log.write("BIRD runs already (pid %d) and is kept".formatted(pid));
    }
    return found.isPresent();
  }

  boolean isAlive() {
    return pid != 0 && process.isOurs(pid);
  }

  private String lastWords() {
    return BirdFiles.lastLine(files.log())
        .filter(line -> line.matches(".*<(ERR|FATAL|BUG|AUTH)>.*"))
        .map(line -> " (the last line of its log: %s)".formatted(line))
        .orElse("");
  }

  /** One that has just been started and ended already will not do better at once. */
  private void backOff() {
    long now = System.nanoTime();
    if (now - started >= STEADY.toNanos()) {
      backoff.reset();
      nextStart = now;
    } else {
      nextStart = now + backoff.next().toNanos();
    }
  }

  /** Something is different: the next start need not wait. */
  void startSoon() {
    nextStart = System.nanoTime();
  }

  /** Starts one, unless it has just failed; returns whether one runs now. */
  boolean start(ConfigurationInForce configuration, BirdConfiguration wanted) {
    if (System.nanoTime() - nextStart < 0) {
      return false;
    }
    try {
      boolean ranBefore = Files.exists(files.configuration());
      configuration.place(process, wanted);
      started = System.nanoTime();
      process.start(ranBefore);
      pid = awaitRunning();
      log.write("BIRD is started (pid %d)".formatted(pid));
      failures.clear(Topic.START);
      return true;
    } catch (BirdException.InvalidConfiguration _) {
      // Reported already; without an older configuration there is nothing to run with.
      nextStart = System.nanoTime() + LONGEST_PAUSE.toNanos();
    } catch (BirdException e) {
      failures.set(Topic.START, "BIRD does not start: " + e.getMessage());
      started = System.nanoTime();
      backOff();
    }
    return false;
  }

  private long awaitRunning() {
    long deadline = System.nanoTime() + settings.answer().toNanos();
    while (true) {
      OptionalLong found = process.find();
      if (found.isPresent() && Files.exists(files.socket()) && process.pidInFile().isPresent()) {
        return found.getAsLong();
      }
      if (System.nanoTime() - deadline > 0) {
        throw new BirdException.NoAnswer(
            "it ended right after its start"
                + BirdFiles.lastLine(files.log())
                    .map(line -> "; the last line of its log: " + line)
                    .orElse(""));
      }
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        throw new BirdException.NoAnswer("interrupted while BIRD starts");
      }
    }
  }

  /** The connection, which is opened if there is none. */
  BirdControl connect() {
    BirdControl open = control;
    if (open == null) {
      // First, so that a socket that is replaced meanwhile is noticed.
      FileIdentity found = FileIdentity.of(files.socket()).orElse(null);
      open = BirdControl.connect(files.socket(), settings.answer());
      control = open;
      socket = found;
    }
    return open;
  }

  void disconnect() {
    BirdControl open = control;
    if (open != null) {
      open.close();
    }
    control = null;
  }

  void forget() {
    disconnect();
    socket = null;
    pid = 0;
  }

  /** Whether others can still connect to the socket that we are connected to. */
  boolean isSocketThere() {
    FileIdentity known = socket;
    return known != null && FileIdentity.of(files.socket()).filter(known::isSameAs).isPresent();
  }

  void repairPidFile() {
    if (process.pidInFile().equals(OptionalLong.of(pid))) {
      return;
    }
    log.write("somebody has removed or changed %s: it is written again".formatted(files.pid()));
    try {
      WholeFile.at(files.pid())
          .draft(files.pid().resolveSibling(".bird.pid"))
          .write((pid + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + files.pid(), e);
    }
  }

  /** Ends it by BIRD's own graceful restart if it listens, else by SIGKILL. */
  void endKeepingRoutes() {
    BirdControl open = control;
    try {
      if (open != null) {
        open.command("graceful restart");
        if (process.awaitEnd(pid)) {
          return;
        }
      }
    } catch (BirdException _) {
      // Then it ends without being asked.
    }
    process.kill(pid);
  }

  /** Ends it for good. */
  void end() {
    connect().command("down");
    if (!process.awaitEnd(pid)) {
      process.kill(pid);
    }
  }

  void kill() {
    process.kill(pid);
  }

  @Override
  public void close() {
    disconnect();
  }
}

package io.ocicat.agent.bird;

import io.ocicat.agent.bird.BirdFailures.Topic;
import io.ocicat.agent.kernel.RepairLog;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one BIRD running in the node's network namespace with exactly the wanted configuration, or
 * none. Works on a thread of its own, several times a second: it finds the BIRD that runs, asks
 * which configuration that one has loaded, and changes what differs. So the first pass of a new
 * agent, a new configuration and a repair are the same work.
 *
 * <p>BIRD outlives the agent: closing leaves it as it is, and the next agent adopts it. Nothing
 * happens before the first call of {@link #want} or {@link #stop}. BIRD is never ended by SIGTERM,
 * on which it tells its peers to forget its routes; a restart is BIRD's own graceful one, or
 * SIGKILL, and the kernel's routes stay.
 *
 * <p>Thread-safe; no method waits for BIRD.
 */
public final class BirdReconciler implements AutoCloseable {
  private static final Duration TICK = Duration.ofMillis(250);
  private static final Duration WITHDRAWAL = Duration.ofSeconds(3);

  private final BirdFiles files;
  private final BirdSettings settings;
  private final RepairLog log;
  private final NetNs host;
  private final BirdFailures failures;
  private final ConfigurationLoader loader;
  private final ConfigurationInForce configuration;
  private final RunningBird running;
  private final SessionObserver observer;
  private final BlockingQueue<Boolean> wake = new LinkedBlockingQueue<>(1);
  private final Thread thread;
  private final long created = System.nanoTime();

  private volatile @Nullable Wanted wanted;
  private volatile boolean restartRequested;
  private volatile boolean closed;
  private volatile @Nullable BgpStatus status;

  private @Nullable BirdConfiguration tried;
  private boolean silent;
  private long silentSince;

  private sealed interface Wanted {
    record Running(BirdConfiguration configuration) implements Wanted {}

    record Ended() implements Wanted {}
  }

  private BirdReconciler(NetNs host, Path runDirectory, BirdSettings settings, RepairLog log) {
    this.files = new BirdFiles(runDirectory);
    this.settings = settings;
    this.log = log;
    this.host = host;
    this.failures = new BirdFailures(log);
    this.loader = new ConfigurationLoader(files, settings.crashPoints());
    this.configuration = new ConfigurationInForce(files, loader, failures, log);
    this.running =
        new RunningBird(
            files, settings, new BirdProcess(files, host, settings.executable()), failures, log);
    this.observer = new SessionObserver(files, failures);
    this.thread = Thread.ofPlatform().name("bird").daemon().unstarted(this::run);
  }

  /**
   * Starts the reconciler of one run directory, of which the caller has the only one.
   *
   * @param host the node's network namespace; still owned by the caller, and open until this is
   *     closed
   */
  public static BirdReconciler start(
      NetNs host, Path runDirectory, BirdSettings settings, RepairLog log) {
    BirdReconciler reconciler = new BirdReconciler(host, runDirectory, settings, log);
    reconciler.thread.start();
    return reconciler;
  }

  /** From now on BIRD is to run with this configuration. */
  public void want(String text) {
    wanted = new Wanted.Running(BirdConfiguration.of(text, files));
    wake.offer(true);
  }

  /** From now on no BIRD is to run, and none of its routes is to be in the kernel. */
  public void stop() {
    wanted = new Wanted.Ended();
    wake.offer(true);
  }

  /** Restarts BIRD without a loss of routes, for instance because its program was replaced. */
  public void restart() {
    restartRequested = true;
    wake.offer(true);
  }

  /** How BGP is here; empty where it is off, or nothing is known yet. */
  public Optional<BgpStatus> status() {
    return Optional.ofNullable(status);
  }

  private void run() {
    while (!closed) {
      try {
        pass();
        failures.clear(Topic.FILES);
      } catch (BirdException | UncheckedIOException | NetlinkException e) {
        failures.set(Topic.FILES, "BIRD: " + e.getMessage());
      }
      publish();
      try {
        wake.poll(TICK.toMillis(), TimeUnit.MILLISECONDS);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private void pass() {
    switch (wanted) {
      case null -> {}
      case Wanted.Running(BirdConfiguration now) -> keep(now);
      case Wanted.Ended _ -> end();
    }
  }

  /** One pass towards a BIRD that runs with this configuration. */
  private void keep(BirdConfiguration now) {
    if (!now.equals(tried)) {
      tried = now;
      running.startSoon();
    }
    if (!running.find()) {
      observer.forget();
      if (!running.start(configuration, now)) {
        return;
      }
    }
    if (restartRequested) {
      restartRequested = false;
      replace("asked for", now);
      return;
    }
    try {
      BirdControl bird = running.connect();
      String loaded = loaded(bird);
      noteAnswer();
      if (!running.isSocketThere()) {
        replace("somebody has removed or replaced %s".formatted(files.socket()), now);
        return;
      }
      running.repairPidFile();
      long reloads = configuration.reloads();
      configuration.follow(bird, loaded, now);
      if (configuration.reloads() != reloads) {
        observer.hurry();
      }
      observer.observe(bird, running.pid(), configuration.port());
    } catch (BirdException.Unreachable | BirdException.NoAnswer | BirdException.Malformed e) {
      noteSilence(e, now);
    }
  }

  /** The digest of the configuration that BIRD works by; empty for one that is not ours. */
  private static String loaded(BirdControl bird) {
    try {
      return bird.command(BirdConfiguration.QUESTION).outcome();
    } catch (BirdException.Refused _) {
      return "";
    }
  }

  private void noteAnswer() {
    if (silent) {
      silent = false;
      log.write("BIRD (pid %d) answers again".formatted(running.pid()));
    }
    failures.clear(Topic.ANSWER);
  }

  private void noteSilence(BirdException e, BirdConfiguration now) {
    running.disconnect();
    observer.forget();
    if (!running.isAlive()) {
      // It has ended: the next pass starts another one.
      wake.offer(true);
      return;
    }
    if (!Files.exists(files.socket()) || e.getCause() instanceof ConnectException) {
      replace("somebody has removed or replaced %s".formatted(files.socket()), now);
      return;
    }
    long time = System.nanoTime();
    if (!silent) {
      silent = true;
      silentSince = time;
    }
    long limit = settings.silence().toSeconds();
    failures.set(
        Topic.ANSWER,
        "BIRD (pid %d) runs but does not answer, it is restarted after %d s: %s"
            .formatted(running.pid(), limit, e.getMessage()));
    if (time - silentSince >= settings.silence().toNanos()) {
      replace("it has not answered for %d s".formatted(limit), now);
    }
  }

  /** Ends BIRD in a way that its peers and the kernel keep the routes, and starts it again. */
  private void replace(String why, BirdConfiguration now) {
    log.write("BIRD (pid %d) is restarted: %s".formatted(running.pid(), why));
    running.endKeepingRoutes();
    running.forget();
    observer.forget();
    silent = false;
    failures.clear(Topic.ANSWER);
    running.startSoon();
    running.start(configuration, now);
    wake.offer(true);
  }

  /** One pass towards no BIRD, and none of its routes. */
  private void end() {
    boolean found = running.find();
    if (!found && !Files.exists(files.configuration())) {
      status = null;
      failures.clear();
      return;
    }
    BirdConfiguration nothing = BirdConfiguration.withdrawing(files);
    if (!found && !running.start(configuration, nothing)) {
      return;
    }
    long pid = running.pid();
    try {
      BirdControl bird = running.connect();
      if (!loaded(bird).equals(nothing.digest())) {
        loader.load(bird, nothing);
      }
      BirdRoutesInKernel.awaitNone(host, WITHDRAWAL);
      running.end();
    } catch (BirdException e) {
      failures.set(Topic.END, "BIRD does not end, it is killed: " + e.getMessage());
      running.kill();
      running.forget();
      return;
    }
    log.write("BGP is off: BIRD (pid %d) is ended and its routes are removed".formatted(pid));
    running.forget();
    observer.forget();
    configuration.forget();
    tried = null;
    removeFiles();
    wake.offer(true);
  }

  private void removeFiles() {
    try {
      for (Path file :
          List.of(
              files.configuration(),
              files.draft(),
              files.rejected(),
              files.socket(),
              files.pid(),
              files.output())) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove BIRD's files from " + files.directory(), e);
    }
  }

  private void publish() {
    if (!(wanted instanceof Wanted.Running)) {
      return;
    }
    boolean settling = System.nanoTime() - created < settings.settling().toNanos();
    status =
        observer
            .last()
            .filter(_ -> running.isConnected())
            .map(
                seen ->
                    new BgpStatus(
                        true,
                        seen.daemon().version(),
                        seen.daemon().isRecovering(),
                        settling,
                        seen.sessions(),
                        configuration.reloads(),
                        failures.lines()))
            .orElseGet(
                () -> BgpStatus.notRunning(settling, configuration.reloads(), failures.lines()));
  }

  /** Ends the reconciler, not BIRD. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    running.close();
  }
}

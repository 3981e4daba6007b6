package io.ocicat.daemon;

import io.ocicat.daemon.call.CallRunner;
import io.ocicat.daemon.call.OurExecutables;
import io.ocicat.daemon.server.Admission;
import io.ocicat.daemon.server.CallServer;
import io.ocicat.daemon.server.Events;
import io.ocicat.daemon.state.Folders;
import io.ocicat.daemon.state.State;
import io.ocicat.netlink.linux.FileLock;
import io.ocicat.netlink.linux.SocketType;
import io.ocicat.netlink.linux.UnixListener;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * ocicatd. Listens first, so that callers queue rather than fail; recovers; then serves until it is
 * told to stop, or another daemon has taken its place.
 */
public final class Daemon implements AutoCloseable {
  private static final int OWNER_ONLY = 0600;
  private static final int MOST_CONNECTIONS = 256;
  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final Duration STUCK = Duration.ofSeconds(20);
  private static final Duration DRAIN = Duration.ofSeconds(90);
  private static final int LOOKS_PER_SWEEP = 60;

  private final Folders folders;
  private final UnixListener listener;
  private final boolean inherited;
  private final Upkeep upkeep;
  private final CallServer server;
  private final Events events;
  private final FileLock lifetime;
  private final CallRunner runner;
  private volatile Stage stage = Stage.LISTENING;
  private final CountDownLatch stop = new CountDownLatch(1);

  /**
   * Starts to listen.
   *
   * @param inherited a socket that listens already; empty to make one
   * @param takeOver whether to replace a daemon that runs
   */
  public static Daemon listen(
      State state,
      Folders folders,
      OurExecutables ours,
      Optional<UnixListener> inherited,
      boolean takeOver,
      Events events,
      Clock clock) {
    folders.create();
    Optional<FileLock> lifetime =
        FileLock.tryAcquire(folders.daemonLock(), FileLock.Mode.EXCLUSIVE);
    if (lifetime.isEmpty() && !takeOver && inherited.isEmpty()) {
      throw new IllegalStateException(
          "an ocicatd is running already and holds %s; stop it, or replace it with --take-over"
              .formatted(folders.daemonLock()));
    }
    UnixListener listener =
        inherited.orElseGet(
            () -> UnixListener.takeOver(folders.socket(), SocketType.STREAM, OWNER_ONLY));
    // Until the one that is replaced has gone it holds the lock.
    FileLock lock =
        lifetime.orElseGet(
            () ->
                FileLock.acquire(
                    folders.daemonLock(), FileLock.Mode.EXCLUSIVE, DRAIN.plusSeconds(10)));
    return new Daemon(state, folders, ours, listener, inherited.isPresent(), lock, events, clock);
  }

  private Daemon(
      State state,
      Folders folders,
      OurExecutables ours,
      UnixListener listener,
      boolean inherited,
      FileLock lifetime,
      Events events,
      Clock clock) {
    this.folders = folders;
    this.listener = listener;
    this.inherited = inherited;
    this.lifetime = lifetime;
    this.events = events;
    this.runner = new CallRunner(state, ours, true, clock);
    this.upkeep = new Upkeep(state, runner, events);
    int most = 2 * Runtime.getRuntime().availableProcessors();
    this.server =
        new CallServer(listener, runner, new Admission(most), MOST_CONNECTIONS, events, clock);
  }

  /** Recovers, then serves. Returns once told to {@link #stop} and all calls are answered. */
  public void run() throws InterruptedException {
    run(Supervisor.NONE);
  }

  /** The same, and tells somebody. */
  public void run(Supervisor supervisor) throws InterruptedException {
    stage = Stage.RECOVERING;
    upkeep.recover();
    server.start();
    stage = Stage.SERVING;
    events.note("serving at " + folders.socket());
    supervisor.ready();
    boolean replaced = false;
    for (int looks = 1; !replaced && !stop.await(LOOK.toMillis(), TimeUnit.MILLISECONDS); looks++) {
      server.look(STUCK);
      upkeep.drainSpool();
      if (looks % LOOKS_PER_SWEEP == 0) {
        upkeep.removeLost();
      }
      replaced = !inherited && !listener.ownsFile();
      supervisor.alive();
    }
    stage = Stage.STOPPING;
    supervisor.stopping();
    events.note(replaced ? "another daemon has taken over" : "stopping");
    if (!server.drain(DRAIN)) {
      events.note("%d calls did not end in time".formatted(server.inFlight()));
    }
  }

  /** Makes {@link #run} end. */
  public void stop() {
    stop.countDown();
  }

  /** How far it has come. */
  public enum Stage {
    LISTENING,
    RECOVERING,
    SERVING,
    STOPPING
  }

  public Stage stage() {
    return stage;
  }

  /** How many ADDs came after the DEL of what they were to add. */
  public long lateAdds() {
    return runner.lateAdds();
  }

  public CallServer server() {
    return server;
  }

  @Override
  public void close() {
    if (!inherited) {
      listener.removeFile();
    }
    listener.close();
    lifetime.close();
  }
}

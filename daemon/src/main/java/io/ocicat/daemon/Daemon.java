package io.ocicat.daemon;

import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.daemon.address.AddressGc;
import io.ocicat.daemon.address.KernelAddresses;
import io.ocicat.daemon.call.CallRunner;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.daemon.liveness.CniFolders;
import io.ocicat.daemon.server.CallAdmission;
import io.ocicat.daemon.server.CallServer;
import io.ocicat.daemon.server.DaemonEvents;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.FileLock;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.linux.SocketType;
import io.ocicat.netlink.linux.UnixListener;
import io.ocicat.netlink.linux.UnixSocket;
import io.ocicat.plugins.resident.HostReconciler;
import io.ocicat.plugins.resident.NodeIpam;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The ocicatd daemon. Listens first, so that callers queue rather than fail; recovers; then serves
 * until it is stopped or another daemon replaces it.
 */
public final class Daemon implements AutoCloseable {
  private static final int OWNER_ONLY = 0600;
  private static final int MOST_CONNECTIONS = 256;

  /** With 100 concurrent ADDs, 2 and 4 took about the same CPU time, and 1, 8 and 16 took more. */
  private static final int ADDS_PER_CORE = 4;

  /** Well below the five seconds of silence after which callers give up. */
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(2);

  private static final Duration STUCK = Duration.ofSeconds(20);
  private static final Duration DRAIN = Duration.ofSeconds(90);

  /** Callers that connected during recovery give up after five seconds of silence. */
  private static final Duration RECOVERY = Duration.ofSeconds(2);

  private static final Duration MOMENT = Duration.ofMillis(50);

  private static final Duration SWEEP = Duration.ofMinutes(1);

  /**
   * Delay before the first retry of a deferred DEL; later retries back off ({@link RetrySchedule}).
   * Killed calls are finished once two scans have found them.
   */
  static final Duration RETRY = Duration.ofMillis(400);

  private final DaemonState state;
  private final StateFolders folders;
  private final PluginExecutables ours;
  private final UnixListener listener;
  private final boolean inherited;
  private final Optional<Duration> idle;
  private final Reconciler reconciler;
  private final CallServer server;
  private final DaemonEvents events;
  private final CallRunner runner;
  private volatile Stage stage = Stage.LISTENING;

  /** Null until the daemon that is being replaced has exited. */
  private @Nullable FileLock lifetime;

  private final CountDownLatch stop = new CountDownLatch(1);
  private volatile Runnable beforeServing = () -> {};

  /**
   * Starts to listen.
   *
   * @param inherited a socket that listens already; empty to make one
   * @param takeOver whether to replace a daemon that runs
   */
  public static Daemon listen(
      DaemonState state,
      StateFolders folders,
      PluginExecutables ours,
      Optional<UnixListener> inherited,
      boolean takeOver,
      DaemonEvents events,
      Clock clock) {
    folders.create();
    Optional<FileLock> lifetime = lifetime(folders);
    boolean replaces = takeOver || Files.exists(folders.onDemandMark());
    if (lifetime.isEmpty() && !replaces && inherited.isEmpty()) {
      throw new IllegalStateException(
          "an ocicatd is running already and holds %s; stop it, or replace it with --take-over"
              .formatted(folders.daemonLock()));
    }
    remove(folders.shutdownMark());
    remove(folders.onDemandMark());
    UnixListener listener =
        inherited.orElseGet(
            () -> UnixListener.takeOver(folders.socket(), SocketType.STREAM, OWNER_ONLY));
    return new Daemon(
        state,
        folders,
        ours,
        listener,
        inherited.isPresent(),
        lifetime.orElse(null),
        Optional.empty(),
        events,
        clock);
  }

  /** Processes that only check whether a daemon runs also hold this lock, for a moment. */
  private static Optional<FileLock> lifetime(StateFolders folders) {
    try {
      return Optional.of(FileLock.acquire(folders.daemonLock(), FileLock.Mode.EXCLUSIVE, MOMENT));
    } catch (NetlinkException e) {
      if (e.is(Errno.EAGAIN)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /**
   * Takes over the socket and the lock of a caller that found no daemon.
   *
   * @param idle the daemon exits after this long without a call, if nothing is left to finish
   */
  public static Daemon onDemand(
      DaemonState state,
      StateFolders folders,
      PluginExecutables ours,
      UnixListener listener,
      FileLock lifetime,
      Duration idle,
      DaemonEvents events,
      Clock clock) {
    folders.create();
    try {
      Files.write(folders.onDemandMark(), new byte[0]);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + folders.onDemandMark(), e);
    }
    return new Daemon(
        state, folders, ours, listener, false, lifetime, Optional.of(idle), events, clock);
  }

  /**
   * Removes the mark of an earlier daemon: {@code /run} may outlive it, and even a shutdown of
   * systemd.
   */
  private static void remove(Path mark) {
    try {
      Files.deleteIfExists(mark);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + mark, e);
    }
  }

  private Daemon(
      DaemonState state,
      StateFolders folders,
      PluginExecutables ours,
      UnixListener listener,
      boolean inherited,
      @Nullable FileLock lifetime,
      Optional<Duration> idle,
      DaemonEvents events,
      Clock clock) {
    this.state = state;
    this.folders = folders;
    this.ours = ours;
    this.listener = listener;
    this.inherited = inherited;
    this.idle = idle;
    this.lifetime = lifetime;
    this.events = events;
    this.runner =
        new CallRunner(state, ours, this::keepsPromises, CniFolders.of(System.getenv()), clock);
    this.reconciler =
        new Reconciler(state, runner, events, addresses(state, ours), host(ours), clock);
    int most = ADDS_PER_CORE * Runtime.getRuntime().availableProcessors();
    this.server =
        new CallServer(
            listener,
            runner,
            new CallAdmission(most),
            MOST_CONNECTIONS,
            new EventFanOut(List.of(events, new RetryOnSuccess(reconciler))),
            clock);
  }

  /**
   * Whether this daemon may promise to finish a DEL later: not when it is about to exit, because
   * perhaps no other daemon follows.
   */
  private boolean keepsPromises() {
    return stop.getCount() > 0;
  }

  private static HostReconciliation host(PluginExecutables ours) {
    return new HostReconciliation(
        (thorough, note) ->
            ours.used(HostReconciler.class)
                .forEach(plugin -> plugin.reconcile(Namespaces.OWN.host(), thorough, note)));
  }

  private static AddressGc addresses(DaemonState state, PluginExecutables ours) {
    return new AddressGc(
        state,
        () ->
            ours.used(NodeIpam.Source.class).stream()
                .flatMap(plugin -> plugin.nodeIpams().stream())
                .toList(),
        KernelAddresses::ofMachine,
        ClockAndRandom.ofSystem());
  }

  /**
   * Recovers, then serves. Returns after {@link #stop} once all calls are answered. May run in
   * parallel with a daemon that is being replaced and whose calls take long: calls of this daemon
   * do not wait for those, and locks protect what both touch.
   */
  public void run() throws InterruptedException {
    run(Supervisor.NONE);
  }

  /** Like {@link #run()}, and reports progress to a supervisor. */
  public void run(Supervisor supervisor) throws InterruptedException {
    stage = Stage.RECOVERING;
    reconciler.recover(RECOVERY);
    beforeServing.run();
    server.start();
    stage = Stage.SERVING;
    remove(folders.startingMark());
    events.note("serving at " + folders.socket());
    Thread reconcilerThread =
        Thread.ofPlatform().name("reconciler").daemon().start(this::reconcile);
    supervisor.ready();
    boolean replaced = false;
    boolean unused = false;
    String trouble = "";
    while (!replaced && !unused && !stop.await(CHECK_INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
      try {
        server.checkCalls(STUCK);
        replaced = !inherited && !listener.ownsFile();
        unused = isUnused();
        trouble = "";
      } catch (NetlinkException | UncheckedIOException e) {
        // For example no free descriptor. If the check fails, carry on as before.
        trouble = noteUnless(trouble, "cannot check its own state, will retry: " + e.getMessage());
      }
      supervisor.alive();
    }
    stage = Stage.STOPPING;
    supervisor.stopping();
    events.note(replaced ? "another daemon has taken over" : unused ? "idle, ending" : "stopping");
    stop.countDown();
    if (state.isShuttingDown()) {
      shutDown();
    }
    drain();
    reconcilerThread.join(DRAIN);
  }

  /**
   * Logs a recurring failure only once.
   *
   * @return what was logged last
   */
  private String noteUnless(String said, String trouble) {
    if (!trouble.equals(said)) {
      events.note(trouble);
    }
    return trouble;
  }

  /** Callers that were promised a later DEL rely on a daemon that finishes it. */
  private boolean isUnused() {
    return idle.isPresent()
        && server.idleFor().compareTo(idle.get()) >= 0
        && state.spool().names().isEmpty()
        && state.journal().names().isEmpty();
  }

  /**
   * The machine is going down and no other daemon will follow. A socket that systemd holds would
   * make callers wait until they give up, each DEL of a container for seconds. So new callers are
   * refused and waiting callers declined, and all make their calls at once without a daemon.
   */
  private void shutDown() {
    events.note("the machine is shutting down");
    runner.refuseAdds();
    try {
      listener.refuse();
      Optional<UnixSocket> waiting = listener.accept(Duration.ZERO);
      while (waiting.isPresent()) {
        waiting.get().close();
        waiting = listener.accept(Duration.ZERO);
      }
    } catch (NetlinkException _) {
      // No caller is waiting any more.
    }
  }

  /** Waiting callers are kept informed while the others are answered. */
  private void drain() throws InterruptedException {
    long deadline = System.nanoTime() + DRAIN.toNanos();
    while (!server.drain(CHECK_INTERVAL)) {
      if (System.nanoTime() > deadline) {
        events.note("%d calls did not end in time".formatted(server.inFlight()));
        return;
      }
      server.checkCalls(STUCK);
    }
  }

  /** Runs on its own thread: a DEL that waits for something must not keep callers waiting. */
  private void reconcile() {
    try {
      long swept = System.nanoTime();
      String trouble = "";
      while (!stop.await(RETRY.toMillis(), TimeUnit.MILLISECONDS)) {
        try {
          takeOverFromPrevious();
          reconciler.retryDue();
          if (System.nanoTime() - swept >= SWEEP.toNanos()) {
            reconciler.collectGarbage();
            swept = System.nanoTime();
          }
          trouble = "";
        } catch (RuntimeException e) {
          trouble = noteUnless(trouble, "reconciliation failed, will retry: " + e);
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes over the previous daemon's locks and sockets once it has exited. */
  private synchronized void takeOverFromPrevious() {
    if (lifetime == null) {
      lifetime = FileLock.tryAcquire(folders.daemonLock(), FileLock.Mode.EXCLUSIVE).orElse(null);
      if (lifetime != null) {
        events.note("the previous daemon has exited");
      }
    }
  }

  /** Sets what {@link #run} waits for, in addition to recovery, before it accepts calls. */
  public void beforeServing(Runnable wait) {
    beforeServing = wait;
  }

  /** Makes {@link #run} end. */
  public void stop() {
    stop.countDown();
  }

  /** The stages of the daemon's life. */
  public enum Stage {
    LISTENING,
    RECOVERING,
    SERVING,
    STOPPING
  }

  public Stage stage() {
    return stage;
  }

  /** Number of ADDs that arrived after the DEL of the same attachment. */
  public long lateAdds() {
    return runner.lateAdds();
  }

  /** What is broken although the daemon still serves, one line each. */
  public List<String> broken() {
    return ours.datastoreTroubles();
  }

  public CallServer server() {
    return server;
  }

  public CallRunner runner() {
    return runner;
  }

  @Override
  public synchronized void close() {
    if (idle.isPresent() && listener.ownsFile()) {
      remove(folders.onDemandMark());
    }
    if (!inherited) {
      listener.removeFile();
    }
    listener.close();
    if (lifetime != null) {
      lifetime.close();
    }
  }
}

package io.ocicat.daemon.start;

import io.ocicat.daemon.Daemon;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.daemon.server.DaemonEvents;
import io.ocicat.daemon.state.StateFolders;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Makes a daemon's first calls as fast as later ones: connects to the datastores that networks
 * name, and makes warm-up calls, both in the background.
 */
public final class StartUp {
  private static final String CONF_DIR = "NETCONFPATH";
  private static final String USUAL_CONF_DIR = "/etc/cni/net.d";

  /**
   * How long callers wait for the first warm-up calls. Callers that came at once would wait for the
   * same code to be loaded.
   */
  private static final Duration FIRST_CALLS = Duration.ofMillis(110);

  private StartUp() {}

  /**
   * Begins both for a daemon of a distribution; elsewhere there are no executables to warm up with.
   */
  public static void begin(
      Daemon daemon, StateFolders folders, Map<String, String> environment, DaemonEvents events) {
    String home = System.getProperty("ocicat.home");
    if (home == null) {
      return;
    }
    NamedPlugins named =
        NamedPlugins.in(Path.of(environment.getOrDefault(CONF_DIR, USUAL_CONF_DIR)));
    PluginExecutables ours = PluginExecutables.fromDistribution();
    WarmUp warmUp =
        new WarmUp(
            folders.run(),
            ours,
            Path.of(home, "cni"),
            named.types(),
            () -> daemon.server().inFlight() > 0,
            new CountDownLatch(1));
    long begun = System.nanoTime();
    Thread.ofPlatform()
        .daemon()
        .name("rehearsal")
        .start(
            () -> {
              try (ours) {
                warmUp.run();
              }
            });
    daemon.beforeServing(() -> await(warmUp.ready(), begun));
    Thread.ofPlatform()
        .daemon()
        .name("connecting")
        .start(() -> new FirstConnections(daemon.runner(), environment, events).open(named));
  }

  private static void await(CountDownLatch ready, long begun) {
    try {
      long left = FIRST_CALLS.toNanos() - (System.nanoTime() - begun);
      boolean _ = ready.await(left, TimeUnit.NANOSECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}

package io.ocicat.daemon.start;

import io.ocicat.base.BootId;
import io.ocicat.base.json.Json;
import io.ocicat.cni.CniJson;
import io.ocicat.daemon.CallLog;
import io.ocicat.daemon.EventFanOut;
import io.ocicat.daemon.call.CallRunner;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.daemon.liveness.CniFolders;
import io.ocicat.daemon.metrics.BuildInfo;
import io.ocicat.daemon.metrics.Metrics;
import io.ocicat.daemon.server.CallAdmission;
import io.ocicat.daemon.server.CallServer;
import io.ocicat.daemon.server.DaemonEvents;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.daemon.trace.CallHistory;
import io.ocicat.netlink.linux.LowPriority;
import io.ocicat.netlink.linux.SocketType;
import io.ocicat.netlink.linux.UnixListener;
import io.ocicat.netlink.ns.NetNs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Calls the usual plugins before the first real call, so that their code is linked and compiled by
 * then. A separate server takes these calls, as the daemon's would, in network namespaces without a
 * name and a folder below the run directory: a warm-up that is killed leaves nothing but that
 * folder, which the next start removes. All of its threads have the lowest priority, and it pauses
 * while the daemon has real calls to serve.
 *
 * @param parent where its folder is made: the run directory
 * @param ours separate plugin instances, because plugins keep caches
 * @param plugins the directory of our executables
 * @param types the plugins that networks of this machine name: no others are called, except bridge
 *     and host-local, so that the kernel loads no modules that nobody needs
 * @param busy whether real calls are under way
 * @param ready counted down when the first calls have been made, or none can be
 */
record WarmUp(
    Path parent,
    PluginExecutables ours,
    Path plugins,
    Set<String> types,
    BooleanSupplier busy,
    CountDownLatch ready) {
  private static final String PREFIX = "rehearsal-";

  /** After so many, what an ADD needs has been called often enough to be compiled. */
  private static final int ROUNDS = 16;

  /** After this many it is worth serving: everything is loaded and linked. */
  private static final int FIRST_ROUNDS = 2;

  private static final Duration LONGEST = Duration.ofSeconds(20);

  /** Callers that come one after the other should not meet it between two of their calls. */
  private static final Duration QUIET = Duration.ofMillis(500);

  private static final Duration LOOK = Duration.ofMillis(5);
  private static final Duration END = Duration.ofSeconds(5);
  private static final int OWNER_ONLY = 0600;

  /** Plugins that may follow bridge in a chain, each with what it needs to do something. */
  private static final List<String> CHAINED =
      List.of(
          "{\"type\": \"tuning\", \"mtu\": 1400}",
          "{\"type\": \"portmap\", \"capabilities\": {\"portMappings\": true}, \"snat\": true}",
          "{\"type\": \"firewall\"}",
          """
          {"type": "bandwidth", "ingressRate": 8000000, "ingressBurst": 8000000,
           "egressRate": 8000000, "egressBurst": 8000000}\
          """);

  /**
   * Failures do not matter: the first real call is slower, and reports what is wrong.
   *
   * @return how often it attached and detached
   */
  int run() {
    try {
      LowPriority.ofThisThread();
      removeStale(parent);
      Path folder = Files.createTempDirectory(parent, PREFIX);
      try {
        return rehearseIn(folder);
      } finally {
        remove(folder);
      }
    } catch (IOException | RuntimeException _) {
      // As above.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      ready.countDown();
    }
    return 0;
  }

  private int rehearseIn(Path folder) throws InterruptedException {
    StateFolders folders = new StateFolders(folder.resolve("run"), folder.resolve("state"));
    folders.create();
    Clock clock = Clock.systemUTC();
    DaemonEvents events =
        new EventFanOut(
            List.of(new CallLog(_ -> {}, new CallHistory()), new Metrics(new BuildInfo("", ""))));
    CniFolders nobodys = new CniFolders(folder.resolve("cache"), folder.resolve("net.d"));
    CallRunner runner =
        new CallRunner(
            new DaemonState(folders, BootId.current()), ours, () -> false, nobodys, clock);
    try (NetNs host = NetNs.create();
        NetNs container = NetNs.create();
        UnixListener listener =
            UnixListener.takeOver(folders.socket(), SocketType.STREAM, OWNER_ONLY)) {
      CallServer server = new CallServer(listener, runner, new CallAdmission(1), 2, events, clock);
      server.start();
      try {
        NetworkCalls calls =
            new NetworkCalls(
                folders.socket(),
                pathOf(host),
                Map.of(
                    "CNI_PATH",
                    plugins.toString(),
                    "OCICAT_STATE_DIR",
                    folders.state().toString()));
        long end = System.nanoTime() + LONGEST.toNanos();
        ObjectNode network = network(folder);
        int i = 0;
        for (; i < ROUNDS && System.nanoTime() < end; i++) {
          if (i >= FIRST_ROUNDS) {
            awaitQuiet(i == FIRST_ROUNDS ? QUIET : LOOK, end);
          }
          calls.attachAndDetach(network, pathOf(container).toString(), "eth0");
          if (i + 1 == FIRST_ROUNDS) {
            ready.countDown();
          }
        }
        return i;
      } finally {
        server.drain(END);
      }
    }
  }

  /** Returns after this much time without a real call, or half a second after one that it sees. */
  private void awaitQuiet(Duration quiet, long end) throws InterruptedException {
    long until = System.nanoTime() + quiet.toNanos();
    while (System.nanoTime() < Math.min(until, end)) {
      if (busy.getAsBoolean()) {
        until = System.nanoTime() + QUIET.toNanos();
      }
      Thread.sleep(LOOK);
    }
  }

  private static Path pathOf(NetNs namespace) {
    return Path.of("/proc/self/fd/" + namespace.descriptor());
  }

  private ObjectNode network(Path folder) {
    ObjectNode network = Json.object().put("cniVersion", "1.0.0").put("name", "rehearsal");
    ArrayNode chain = network.putArray("plugins");
    ObjectNode bridge = chain.addObject().put("type", "bridge").put("bridge", "rehearsal0");
    bridge.put("isGateway", true);
    bridge
        .putObject("ipam")
        .put("type", "host-local")
        .put("dataDir", folder.resolve("leases").toString())
        .put("subnet", "10.88.0.0/16");
    for (String text : CHAINED) {
      ObjectNode plugin = (ObjectNode) CniJson.parse(text);
      if (types.contains(plugin.path("type").asString())) {
        chain.add(plugin.put("dataDir", folder.resolve("tuning").toString()));
      }
    }
    return network;
  }

  /** Removes the folders of daemons that were killed. */
  private static void removeStale(Path parent) throws IOException {
    try (DirectoryStream<Path> left = Files.newDirectoryStream(parent, PREFIX + "*")) {
      for (Path folder : left) {
        remove(folder);
      }
    }
  }

  private static void remove(Path folder) {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : (Iterable<Path>) all.sorted(Comparator.reverseOrder())::iterator) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package io.ocicat.cli;

import io.ocicat.base.BootId;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.daemon.CallLog;
import io.ocicat.daemon.Daemon;
import io.ocicat.daemon.EventFanOut;
import io.ocicat.daemon.LogFormat;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.daemon.info.DaemonInfo;
import io.ocicat.daemon.info.InfoServer;
import io.ocicat.daemon.metrics.BuildInfo;
import io.ocicat.daemon.metrics.Metrics;
import io.ocicat.daemon.server.DaemonEvents;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.daemon.trace.CallHistory;
import io.ocicat.daemon.wire.FilesystemView;
import io.ocicat.daemon.wire.WireReply;
import io.ocicat.daemon.wire.WireRequest;
import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.Received;
import io.ocicat.netlink.linux.SocketType;
import io.ocicat.netlink.linux.UnixSocket;
import io.ocicat.testkit.Eventually;
import io.ocicat.testkit.Host;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** An ocicatd in this JVM, in a test's own folders, and calls as the shim makes them. */
public final class LiveDaemon implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int HEADER = 20;

  private final Path directory;
  private final StateFolders folders;
  private final List<String> log = new CopyOnWriteArrayList<>();
  private final Daemon daemon;
  private final DaemonInfo info;
  private final InfoServer server;
  private final Thread thread;

  private LiveDaemon(Path directory, LogFormat format) {
    this.directory = directory;
    this.folders = folders(directory);
    Clock clock = Clock.systemUTC();
    DaemonState state = new DaemonState(folders, BootId.current());
    CallHistory history = new CallHistory();
    BuildInfo build = new BuildInfo("1.2.3", "abc");
    Metrics metrics = new Metrics(build);
    DaemonEvents events = new EventFanOut(List.of(new CallLog(log::add, format, history), metrics));
    this.daemon =
        Daemon.listen(
            state,
            folders,
            PluginExecutables.of(home(directory)),
            Optional.empty(),
            false,
            events,
            clock);
    this.info = new DaemonInfo(daemon, state, history, metrics, build, clock);
    this.server = InfoServer.start(folders.infoSocket(), info, events);
    this.thread = Thread.ofPlatform().start(this::run);
  }

  public static StateFolders folders(Path directory) {
    return new StateFolders(directory.resolve("run"), directory.resolve("state"));
  }

  public static LiveDaemon start(Path directory) {
    return start(directory, new LogFormat.Text());
  }

  public static LiveDaemon start(Path directory, LogFormat format) {
    LiveDaemon live = new LiveDaemon(directory, format);
    Eventually.await("the daemon to serve", () -> live.daemon.stage() == Daemon.Stage.SERVING);
    return live;
  }

  /** A distribution whose plugins are copies of a shim that is never executed. */
  public static Path home(Path directory) {
    Path home = directory.resolve("home");
    try {
      Files.createDirectories(home.resolve("lib"));
      Files.createDirectories(home.resolve("cni"));
      for (String name :
          List.of(
              "lib/shim",
              "cni/host-local",
              "cni/bridge",
              "cni/calico",
              "cni/calico-ipam",
              "cni/portmap")) {
        Path file = Files.writeString(home.resolve(name), "a shim of this test");
        if (!file.toFile().setExecutable(true)) {
          throw new IllegalStateException(file + " cannot be made executable");
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return home;
  }

  private void run() {
    try {
      daemon.run();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  public StateFolders folders() {
    return folders;
  }

  public DaemonInfo info() {
    return info;
  }

  public List<String> log() {
    return log;
  }

  /** A bridge network of this test, on any host. */
  public String network(String subnet) {
    return """
    {"cniVersion":"1.0.0","name":"blue","type":"bridge","bridge":"br7","isGateway":true,
     "ipam":{"type":"host-local","subnet":"%s","dataDir":"%s"}}
    """
        .formatted(subnet, directory.resolve("leases"));
  }

  /** Calls the bridge plugin for a container's eth0. */
  public PluginReply call(String verb, String container, Host host, Host pod, String network) {
    return call(verb, container, host, pod, network, Map.of());
  }

  public PluginReply call(
      String verb,
      String container,
      Host host,
      Host pod,
      String network,
      Map<String, String> more) {
    return call("bridge", verb, container, host, pod, network, more);
  }

  public PluginReply call(
      String plugin,
      String verb,
      String container,
      Host host,
      Host pod,
      String network,
      Map<String, String> more) {
    Map<String, String> environment = new HashMap<>(more);
    environment.put("CNI_COMMAND", verb);
    environment.put("CNI_CONTAINERID", container);
    environment.put("CNI_IFNAME", "eth0");
    environment.put("CNI_NETNS", pod.path().toString());
    environment.put("CNI_PATH", directory.resolve("home/cni").toString());
    try (Fd own = Fd.open(host.path(), Fd.O_RDONLY, 0);
        Fd theirs = Fd.open(pod.path(), Fd.O_RDONLY, 0);
        UnixSocket socket = UnixSocket.connect(folders.socket(), SocketType.STREAM, LIMIT)) {
      WireRequest request =
          new WireRequest(
              plugin,
              environment,
              network.getBytes(StandardCharsets.UTF_8),
              LIMIT,
              System.nanoTime(),
              FilesystemView.own(),
              Optional.of(own),
              Optional.of(theirs));
      socket.send(request.bytes(), LIMIT, own.number(), theirs.number());
      return answer(socket);
    }
  }

  private static PluginReply answer(UnixSocket socket) {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    for (Optional<Received> part = socket.receive(1 << 16, 0, LIMIT);
        part.isPresent();
        part = socket.receive(1 << 16, 0, LIMIT)) {
      whole.writeBytes(part.get().bytes());
    }
    byte[] rest = whole.toByteArray();
    while (true) {
      ByteBuffer header = ByteBuffer.wrap(rest).order(ByteOrder.LITTLE_ENDIAN);
      int length = HEADER + header.getInt(HEADER - 8) + header.getInt(HEADER - 4);
      switch (WireReply.parse(Arrays.copyOf(rest, length))) {
        case WireReply.Working() -> rest = Arrays.copyOfRange(rest, length, rest.length);
        case WireReply.Done(PluginReply reply) -> {
          return reply;
        }
        case WireReply.Declined(String why) -> throw new AssertionError("declined: " + why);
      }
    }
  }

  @Override
  public void close() {
    server.close();
    daemon.stop();
    try {
      thread.join(LIMIT);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    daemon.close();
  }
}

package io.ocicat.cli;

import io.ocicat.base.BootId;
import io.ocicat.cli.options.Version;
import io.ocicat.daemon.CallLog;
import io.ocicat.daemon.Daemon;
import io.ocicat.daemon.EventFanOut;
import io.ocicat.daemon.LogFormat;
import io.ocicat.daemon.call.PluginExecutables;
import io.ocicat.daemon.info.DaemonInfo;
import io.ocicat.daemon.info.InfoServer;
import io.ocicat.daemon.info.MetricsPort;
import io.ocicat.daemon.metrics.Metrics;
import io.ocicat.daemon.otlp.OtlpExport;
import io.ocicat.daemon.server.DaemonEvents;
import io.ocicat.daemon.start.StartUp;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.daemon.trace.CallHistory;
import io.ocicat.netlink.linux.FileLock;
import io.ocicat.netlink.linux.SocketActivation;
import io.ocicat.netlink.linux.UnixListener;
import java.io.Closeable;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ocicat daemon}: ocicatd in the foreground. */
@Command(
    name = "daemon",
    description = {
      "Serve plugin calls.",
      "Runs in the foreground until told to stop; SIGTERM finishes the calls under way."
    },
    footer = {
      "",
      "Listens at <run directory>/ocicatd.sock, or on the socket that systemd hands over, and tells"
          + " systemd when it serves calls. First it finishes what calls left that were killed. One"
          + " line for each call goes to standard error.",
      "",
      "OCICAT_RUN_DIR    socket, journal and spool (default: /run/ocicat)",
      "OCICAT_STATE_DIR  what is attached and installed (default: /var/lib/ocicat)",
      "",
      "Where no daemon runs, the first call of a plugin starts one that ends after five idle"
          + " minutes; OCICAT_ON_DEMAND=0 in the runtime's environment, or \"ocicat install"
          + " --no-on-demand\", keeps it from doing so.",
      "",
      "Example: ocicat daemon --metrics-port 9101"
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:another daemon has taken over",
      "1:it could not serve",
      "2:the command line is invalid",
      "143:ended by SIGTERM, with the calls under way answered"
    })
public final class DaemonCommand implements Callable<Integer> {
  private static final int MAX_PORT = 65_535;
  private static final Duration USUAL_IDLE = Duration.ofMinutes(5);

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--take-over",
      description = "Replace a daemon that runs; no call fails meanwhile.")
  private boolean takeOver;

  @Option(
      names = "--on-demand",
      hidden = true,
      description =
          "Started by a call that found no daemon: takes over the socket and the lock that it made,"
              + " and ends when idle.")
  private boolean onDemand;

  @Option(
      names = "--metrics-port",
      paramLabel = "PORT",
      description =
          "Serve the metrics at 127.0.0.1 as well; everybody on the machine can read them.")
  private @Nullable Integer metricsPort;

  @Option(
      names = "--log-format",
      paramLabel = "FORMAT",
      defaultValue = "text",
      description = "How the log is written: text or json (default: ${DEFAULT-VALUE}).")
  private LogKind logFormat = LogKind.text;

  @Option(
      names = "--otlp",
      paramLabel = "URL",
      description =
          "Send finished calls to an OpenTelemetry collector, as http://127.0.0.1:4318 (OTLP/HTTP"
              + " with JSON).")
  private @Nullable URI collector;

  /** Started when the daemon is about to serve, and closed with it. */
  private Function<PluginExecutables, AutoCloseable> companion = _ -> () -> {};

  /** The values of the log format option. */
  enum LogKind {
    text,
    json
  }

  /** The command of a command line that consists of {@code daemon} alone, or is the shim's. */
  static Optional<DaemonCommand> plain(String[] args) {
    boolean onDemand = args.length == 2 && args[1].equals("--on-demand");
    if (args.length == 0 || !args[0].equals("daemon") || (args.length > 1 && !onDemand)) {
      return Optional.empty();
    }
    DaemonCommand command = new DaemonCommand();
    command.onDemand = onDemand;
    return Optional.of(command);
  }

  /** Runs something else in the same process, which may meet the plugins. */
  DaemonCommand with(Function<PluginExecutables, AutoCloseable> other) {
    companion = other;
    return this;
  }

  @Override
  public Integer call() throws Exception {
    if (metricsPort != null && (metricsPort < 1 || metricsPort > MAX_PORT)) {
      throw new ParameterException(
          Objects.requireNonNull(spec).commandLine(),
          "--metrics-port %d is not a port: 1–65535".formatted(metricsPort));
    }
    CallHistory history = new CallHistory();
    Metrics metrics = new Metrics(Version.build());
    LogFormat format =
        logFormat == LogKind.json
            ? new LogFormat.JsonObjects(Clock.systemUTC())
            : new LogFormat.Text();
    Map<String, String> environment = System.getenv();
    Consumer<String> lines =
        onDemand
            ? BoundedLog.onDemand(StateFolders.of(environment), System.err)
            : System.err::println;
    CallLog log = new CallLog(lines, format, history);
    if (collector == null) {
      serve(new EventFanOut(List.of(log, metrics)), history, metrics);
    } else {
      try (OtlpExport export = OtlpExport.start(collector, Version.build())) {
        metrics.addCounter(
            "ocicat_otlp_sent_total", "Calls that the collector took.", export::sent);
        metrics.addCounter(
            "ocicat_otlp_dropped_total", "Calls that it did not take.", export::dropped);
        serve(new EventFanOut(List.of(log, metrics, export)), history, metrics);
      }
    }
    return ExitCode.OK;
  }

  private void serve(DaemonEvents events, CallHistory history, Metrics metrics) throws Exception {
    Map<String, String> environment = System.getenv();
    StateFolders folders = StateFolders.of(environment);
    Clock clock = Clock.systemUTC();
    DaemonState state = new DaemonState(folders, BootId.current());
    // The VM ends when its hooks do, so the hook has to wait; for the end of what follows, not for
    // the thread, which may itself be waiting for the VM's end by then.
    CountDownLatch done = new CountDownLatch(1);
    try (PluginExecutables ours = PluginExecutables.fromDistribution();
        Daemon daemon = listen(state, folders, ours, environment, events, clock)) {
      DaemonInfo info = new DaemonInfo(daemon, state, history, metrics, Version.build(), clock);
      Runtime.getRuntime()
          .addShutdownHook(Thread.ofPlatform().name("stop").unstarted(() -> stop(daemon, done)));
      // The caller that started it on demand is already waiting: its call is the warm-up.
      if (!onDemand) {
        StartUp.begin(daemon, folders, environment, events);
      }
      try (InfoServer _ = InfoServer.start(folders.infoSocket(), info, events);
          Closeable _ = servePort(info);
          AutoCloseable _ = companion.apply(ours)) {
        daemon.run(Systemd.of(environment, System.err::println));
      }
    } finally {
      done.countDown();
    }
  }

  private Daemon listen(
      DaemonState state,
      StateFolders folders,
      PluginExecutables ours,
      Map<String, String> environment,
      DaemonEvents events,
      Clock clock) {
    List<SocketActivation.Socket> handedOver = SocketActivation.take(environment);
    if (!onDemand) {
      Optional<UnixListener> inherited =
          handedOver.stream().findFirst().map(socket -> UnixListener.adopt(socket.fd()));
      return Daemon.listen(state, folders, ours, inherited, takeOver, events, clock);
    }
    if (handedOver.size() != 2) {
      throw new IllegalStateException(
          "--on-demand is for plugins, which hand over a socket and a lock");
    }
    return Daemon.onDemand(
        state,
        folders,
        ours,
        UnixListener.adopt(handedOver.getFirst().fd(), folders.socket()),
        FileLock.adopt(handedOver.getLast().fd()),
        idle(environment),
        events,
        clock);
  }

  private static Duration idle(Map<String, String> environment) {
    String seconds = environment.getOrDefault("OCICAT_ON_DEMAND_IDLE", "");
    return seconds.matches("[1-9][0-9]{0,6}")
        ? Duration.ofSeconds(Long.parseLong(seconds))
        : USUAL_IDLE;
  }

  private Closeable servePort(DaemonInfo info) {
    return metricsPort == null ? () -> {} : MetricsPort.start(metricsPort, info)::close;
  }

  private static void stop(Daemon daemon, CountDownLatch done) {
    daemon.stop();
    try {
      done.await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}

package io.ocicat.agent;

import io.ocicat.agent.bgp.BgpSettings;
import io.ocicat.agent.bgp.SecretSource;
import io.ocicat.agent.bird.BirdFiles;
import io.ocicat.agent.bird.BirdReconciler;
import io.ocicat.agent.bird.BirdSettings;
import io.ocicat.agent.bird.NodeStatusReporter;
import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.config.ConfigFile;
import io.ocicat.agent.config.ConfigSources;
import io.ocicat.agent.config.EffectiveConfig;
import io.ocicat.agent.flannel.FlannelParts;
import io.ocicat.agent.flannel.FlannelService;
import io.ocicat.agent.flannel.FlannelSettings;
import io.ocicat.agent.kernel.FilterOptions;
import io.ocicat.agent.kernel.RepairLog;
import io.ocicat.agent.startup.LocalNode;
import io.ocicat.agent.startup.NetworkUnavailableCondition;
import io.ocicat.agent.startup.NodeFiles;
import io.ocicat.agent.startup.NodeStartup;
import io.ocicat.agent.startup.StartupException;
import io.ocicat.agent.startup.StartupSettings;
import io.ocicat.agent.status.AgentReport;
import io.ocicat.agent.status.AgentStatus;
import io.ocicat.agent.status.HealthServer;
import io.ocicat.agent.status.ReadyEndpoints;
import io.ocicat.base.Backoff;
import io.ocicat.base.CrashPoints;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.netlink.linux.FileLock;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.plugins.resident.EndpointReadiness;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An agent as it runs on a node: goes through the node's start-up, again with backoff until it
 * succeeds, then runs an {@link Agent} and says how it is ({@code <run directory>/agent.json},
 * health port, Kubernetes' condition). One per run directory, by a lock. Closing leaves the kernel,
 * the node's record and its files as they are.
 */
public final class AgentService implements AutoCloseable {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
  private static final Duration TICK = Duration.ofMillis(500);
  private static final Duration SECRETS = Duration.ofSeconds(5);

  /** Deletes what Felix left in nf_tables. */
  public static final String TAKE_OVER = "OCICAT_TAKE_OVER";

  /** Ends connections that a new policy denies. */
  private static final String END_DENIED = "OCICAT_END_DENIED_CONNECTIONS";

  private static final String OWNER_ONLY = "rwx------";

  private final Map<String, String> environment;
  private final RepairLog log;
  private final FileLock lock;
  private final NetNs host;
  private final Datastore datastore;
  private final NodeStartup startup;
  private final StartupSettings settings;
  private final NodeFiles files;
  private final Path runDirectory;
  private final BgpSettings bgpSettings;
  private final AgentReport report;
  private final HealthServer health;
  private final CrashPoints points;
  private final ReadyEndpoints ready = new ReadyEndpoints();
  private final Thread thread;
  private volatile boolean stopped;
  private volatile @Nullable EffectiveConfig config;
  private volatile @Nullable Agent agent;
  private volatile @Nullable FlannelService flannel;
  private volatile @Nullable BirdReconciler bird;
  private volatile @Nullable NodeStatusReporter nodeStatuses;
  private volatile String startupProblem = "the node is being registered";
  private volatile List<String> warnings = List.of();
  private volatile List<IpPrefix> podCidrs = List.of();

  /**
   * @param between what to use in place of the datastore
   */
  private AgentService(
      Map<String, String> environment,
      Path runDirectory,
      RepairLog log,
      NodeFiles files,
      UnaryOperator<Datastore> between,
      CrashPoints points) {
    this.files = files;
    this.points = points;
    this.environment = Map.copyOf(environment);
    this.log = log;
    this.lock = lock(runDirectory);
    this.host = NetNs.current();
    DatastoreConfig datastoreConfig = DatastoreConfig.ofEnvironment(environment);
    this.datastore = between.apply(Datastores.openOwn(datastoreConfig));
    this.settings = new StartupSettings(environment);
    this.startup =
        new NodeStartup(
            datastore, datastoreConfig, host, settings, files, ClockAndRandom.ofSystem());
    this.runDirectory = runDirectory;
    this.bgpSettings = BgpSettings.of(environment);
    this.report = new AgentReport(runDirectory);
    this.health = new HealthServer(this::status, log);
    this.thread = Thread.ofPlatform().name("agent-service").daemon().unstarted(this::run);
  }

  /**
   * Starts the agent of the calling process's network namespace.
   *
   * @throws IllegalStateException when another agent holds the run directory, or Felix runs
   */
  public static AgentService start(
      Map<String, String> environment, Path runDirectory, RepairLog log) {
    try (NetNs here = NetNs.current()) {
      LiveFelix.refuse(environment, here);
    }
    return start(
        environment,
        runDirectory,
        log,
        NodeFiles.of(new StartupSettings(environment)),
        UnaryOperator.identity(),
        CrashPoints.IGNORED);
  }

  /** For tests, which have files of their own, and stop it at every step. */
  static AgentService start(
      Map<String, String> environment,
      Path runDirectory,
      RepairLog log,
      NodeFiles files,
      UnaryOperator<Datastore> between,
      CrashPoints points) {
    AgentService service = new AgentService(environment, runDirectory, log, files, between, points);
    service.thread.start();
    return service;
  }

  /** What plugins of the same process can wait for. */
  public EndpointReadiness readiness() {
    return ready;
  }

  private static FileLock lock(Path runDirectory) {
    try {
      Files.createDirectories(
          runDirectory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(OWNER_ONLY)));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot create " + runDirectory, e);
    }
    Path file = AgentReport.lock(runDirectory);
    return FileLock.tryAcquire(file, FileLock.Mode.EXCLUSIVE)
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "an agent is running already and holds %s: stop it first".formatted(file)));
  }

  /** What it says about itself now, start-up included. */
  public AgentStatus status() {
    Agent running = agent;
    AgentStatus status = running == null ? AgentStatus.starting("") : running.status();
    List<String> problems = new ArrayList<>(status.problems());
    if (!startupProblem.isEmpty()) {
      problems.addFirst(startupProblem);
    }
    problems.addAll(warnings);
    EffectiveConfig known = config;
    if (known != null) {
      problems.addAll(known.problems());
    }
    FlannelService pods = flannel;
    if (pods != null) {
      problems.addAll(pods.problems());
    }
    NodeStatusReporter statuses = nodeStatuses;
    if (statuses != null && !statuses.problem().isEmpty()) {
      problems.add(statuses.problem());
    }
    AgentStatus all =
        status
            .with(problems, startupProblem)
            .with(
                problems,
                pods == null || pods.isReady() ? "" : "flannel has no lease for this node");
    BirdReconciler speaker = bird;
    return speaker == null ? all : speaker.status().map(all::withBgp).orElse(all);
  }

  private void run() {
    try {
      LocalNode node = retried(startup::start);
      note(node);
      log.write("node %s is registered: %s".formatted(node.name(), describe(node)));
      bird = startBird();
      Agent running = retried(() -> Agent.start(parts(node.name())));
      agent = running;
      if (bgpSettings.backend()) {
        nodeStatuses =
            NodeStatusReporter.start(datastore, node.name(), runDirectory, Clock.systemUTC(), log);
      }
      boolean announced = false;
      NetworkUnavailableCondition condition =
          new NetworkUnavailableCondition(datastore.cluster(), node.name(), "Calico");
      if (retried(settings::usesFlannel)) {
        FlannelSettings flags = retried(() -> FlannelSettings.of(environment));
        FlannelParts part =
            new FlannelParts(flags, datastore, host, node.name(), running::follow, log);
        flannel = retried(() -> FlannelService.start(part));
        announced = !flags.announceNode();
        condition = new NetworkUnavailableCondition(datastore.cluster(), node.name(), "Flannel");
      }
      startupProblem = "";
      while (!stopped) {
        announced = announced || announce(condition);
        publish();
        Thread.sleep(TICK);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** A BIRD that an agent left here is ended where the node speaks BGP no more. */
  private @Nullable BirdReconciler startBird() {
    boolean left = Files.exists(new BirdFiles(runDirectory).configuration());
    if (!bgpSettings.backend() && !left) {
      return null;
    }
    BirdReconciler started = BirdReconciler.start(host, runDirectory, BirdSettings.standard(), log);
    if (!bgpSettings.backend()) {
      started.stop();
    }
    return started;
  }

  private AgentParts parts(String node) {
    AgentParts parts =
        new AgentParts(
                datastore,
                host,
                node,
                (resources, labels) -> configure(node, resources, labels),
                this::refresh,
                this::writeMtu,
                ready,
                points,
                log)
            .with(new FilterOptions(isSet(TAKE_OVER), isSet(END_DENIED)));
    BirdReconciler speaker = bird;
    return speaker == null || !bgpSettings.backend()
        ? parts
        : parts.with(
            new BgpParts(
                bgpSettings,
                SecretSource.of(datastore.cluster(), bgpSettings),
                SECRETS,
                speaker::want));
  }

  private boolean isSet(String variable) {
    return environment.getOrDefault(variable, "").strip().equals("true");
  }

  private void refresh() {
    FlannelService pods = flannel;
    if (pods != null) {
      pods.hostChanged();
    }
    note(startup.refresh());
  }

  /** Tries a step with backoff until it succeeds; what is wrong is logged once and reported. */
  private <T> T retried(Supplier<T> step) throws InterruptedException {
    Backoff backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
    while (true) {
      try {
        return step.get();
      } catch (StartupException | NetlinkException e) {
        String problem = String.valueOf(e.getMessage());
        if (!problem.equals(startupProblem)) {
          log.write(problem);
        }
        startupProblem = problem;
        publish();
        Thread.sleep(backoff.next());
      }
    }
  }

  private static String describe(LocalNode node) {
    List<String> parts = new ArrayList<>();
    node.ipv4().ifPresent(address -> parts.add(address.toString()));
    node.ipv6().ifPresent(address -> parts.add(address.toString()));
    node.tunnels().forEach((tunnel, address) -> parts.add(tunnel + " " + address));
    node.podCidrs().forEach(cidr -> parts.add("pods " + cidr));
    return parts.isEmpty() ? "without an address" : String.join(", ", parts);
  }

  private void note(LocalNode node) {
    Set<String> known = Set.copyOf(warnings);
    node.warnings().stream().filter(warning -> !known.contains(warning)).forEach(log::write);
    warnings = node.warnings();
    podCidrs = node.podCidrs();
  }

  private AgentConfig configure(
      String node, Map<String, Resource> resources, Map<String, String> labels) {
    EffectiveConfig before = config;
    EffectiveConfig now =
        EffectiveConfig.of(
            new ConfigSources(
                environment, configFile(), List.copyOf(resources.values()), node, labels),
            before);
    List<String> known = before == null ? List.of() : before.problems();
    now.problems().stream().filter(problem -> !known.contains(problem)).forEach(log::write);
    config = now;
    health.configure(now.config());
    return now.config();
  }

  /** A file that cannot be read is like one that is empty, and reported. */
  private String configFile() {
    try {
      return ConfigFile.read(ConfigFile.PATH);
    } catch (IOException e) {
      log.write("%s cannot be read and is ignored: %s".formatted(ConfigFile.PATH, e));
      return "";
    }
  }

  private void writeMtu(int mtu) {
    try {
      if (mtu > 0 && files.writeMtu(mtu)) {
        log.write("workloads get an MTU of %d".formatted(mtu));
      }
    } catch (StartupException e) {
      log.write(String.valueOf(e.getMessage()));
    }
  }

  /** Level-triggered: tried until the API server has it. */
  private boolean announce(NetworkUnavailableCondition condition) {
    if (!status().isReady()) {
      return false;
    }
    try {
      condition.set(true);
      return true;
    } catch (DatastoreException e) {
      return false;
    }
  }

  private void publish() {
    report.write(
        status(),
        podCidrs,
        Optional.ofNullable(config).map(EffectiveConfig::values).orElse(List.of()));
  }

  @Override
  public void close() {
    stopped = true;
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    FlannelService pods = flannel;
    if (pods != null) {
      pods.close();
    }
    Agent running = agent;
    if (running != null) {
      running.close();
    }
    NodeStatusReporter statuses = nodeStatuses;
    if (statuses != null) {
      statuses.close();
    }
    BirdReconciler speaker = bird;
    if (speaker != null) {
      speaker.close();
    }
    health.close();
    report.remove();
    datastore.close();
    host.close();
    lock.close();
  }
}

package io.ocicat.agent;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.config.ConfigFile;
import io.ocicat.agent.config.ConfigSources;
import io.ocicat.agent.config.EffectiveConfig;
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
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.netlink.linux.FileLock;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
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
  private static final String OWNER_ONLY = "rwx------";

  private final Map<String, String> environment;
  private final RepairLog log;
  private final FileLock lock;
  private final NetNs host;
  private final Datastore datastore;
  private final NodeStartup startup;
  private final NodeFiles files;
  private final AgentReport report;
  private final HealthServer health;
  private final Thread thread;
  private volatile boolean stopped;
  private volatile @Nullable EffectiveConfig config;
  private volatile @Nullable Agent agent;
  private volatile String startupProblem = "the node is being registered";
  private volatile List<String> warnings = List.of();

  private AgentService(Map<String, String> environment, Path runDirectory, RepairLog log) {
    this.environment = Map.copyOf(environment);
    this.log = log;
    this.lock = lock(runDirectory);
    this.host = NetNs.current();
    DatastoreConfig datastoreConfig = DatastoreConfig.ofEnvironment(environment);
    this.datastore = Datastores.openOwn(datastoreConfig);
    StartupSettings settings = new StartupSettings(environment);
    this.files = NodeFiles.of(settings);
    this.startup =
        new NodeStartup(
            datastore, datastoreConfig, host, settings, files, ClockAndRandom.ofSystem());
    this.report = new AgentReport(runDirectory);
    this.health = new HealthServer(this::status, log);
    this.thread = Thread.ofPlatform().name("agent-service").daemon().unstarted(this::run);
  }

  /**
   * Starts the agent of the calling process's network namespace.
   *
   * @throws IllegalStateException when another agent holds the run directory
   */
  public static AgentService start(
      Map<String, String> environment, Path runDirectory, RepairLog log) {
    AgentService service = new AgentService(environment, runDirectory, log);
    service.thread.start();
    return service;
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
    return status.withProblems(problems);
  }

  private void run() {
    try {
      LocalNode node = retried(startup::start);
      note(node);
      log.write("node %s is registered: %s".formatted(node.name(), describe(node)));
      agent = retried(() -> Agent.start(parts(node.name())));
      startupProblem = "";
      NetworkUnavailableCondition condition =
          new NetworkUnavailableCondition(datastore.cluster(), node.name());
      boolean announced = false;
      while (!stopped) {
        announced = announced || announce(condition);
        publish();
        Thread.sleep(TICK);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private AgentParts parts(String node) {
    return new AgentParts(
        datastore,
        host,
        node,
        (resources, labels) -> configure(node, resources, labels),
        () -> note(startup.refresh()),
        this::writeMtu,
        log);
  }

  /** Tries a step with backoff until it succeeds; what is wrong is logged once and reported. */
  private <T> T retried(Supplier<T> step) throws InterruptedException {
    Duration pause = FIRST_PAUSE;
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
        Thread.sleep(pause);
        Duration doubled = pause.multipliedBy(2);
        pause = doubled.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : doubled;
      }
    }
  }

  private static String describe(LocalNode node) {
    List<String> parts = new ArrayList<>();
    node.ipv4().ifPresent(address -> parts.add(address.toString()));
    node.ipv6().ifPresent(address -> parts.add(address.toString()));
    node.tunnels().forEach((tunnel, address) -> parts.add(tunnel + " " + address));
    return parts.isEmpty() ? "without an address" : String.join(", ", parts);
  }

  private void note(LocalNode node) {
    Set<String> known = Set.copyOf(warnings);
    node.warnings().stream().filter(warning -> !known.contains(warning)).forEach(log::write);
    warnings = node.warnings();
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
        status(), Optional.ofNullable(config).map(EffectiveConfig::values).orElse(List.of()));
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
    Agent running = agent;
    if (running != null) {
      running.close();
    }
    health.close();
    report.remove();
    datastore.close();
    host.close();
    lock.close();
  }
}

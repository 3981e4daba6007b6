package io.ocicat.agent;

import io.ocicat.agent.bgp.BgpFollower;
import io.ocicat.agent.bgp.SecretReader;
import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.desired.CalicoNetwork;
import io.ocicat.agent.desired.DesiredState;
import io.ocicat.agent.flannel.FlannelNetwork;
import io.ocicat.agent.flannel.FlannelView;
import io.ocicat.agent.kernel.KernelMonitor;
import io.ocicat.agent.kernel.KernelReport;
import io.ocicat.agent.kernel.NodeKernel;
import io.ocicat.agent.policy.PolicyCalculation;
import io.ocicat.agent.status.AgentStatus;
import io.ocicat.agent.status.EndpointStatusFiles;
import io.ocicat.agent.status.EndpointStatusKeys;
import io.ocicat.agent.view.LocalEndpoint;
import io.ocicat.agent.view.ResourceFollower;
import io.ocicat.agent.view.ViewChange;
import io.ocicat.agent.view.ViewEvent;
import io.ocicat.agent.view.WatchedCluster;
import io.ocicat.base.CrashPoints;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.netlink.ExchangeListener;
import io.ocicat.netlink.Monitor;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.route.Address;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The agent of a node. Data flows one way, on one thread:
 *
 * <pre>
 * datastore ─► WatchedCluster ─► CalicoNetwork ─► DesiredState ─► NodeKernel ─► status
 * datastore ─► PolicyCalculation ───────────────► DesiredFilter ─►
 * flannel's leases ─► FlannelView ─► FlannelNetwork ─►
 * kernel ───────────────────────────────────────────────────────►
 *              WatchedCluster ─► BgpFollower ─► BIRD's configuration
 * </pre>
 *
 * <p>Nothing is programmed before the whole view is known. While the datastore cannot be reached,
 * or says that it is not ready, the last good state stays in force and is still repaired. Closing
 * leaves the kernel as it is: the next agent finds everything in place and writes nothing.
 */
public final class Agent implements AutoCloseable {
  /** Wait for more of a burst, so that one batch serves it. */
  private static final Duration GATHER = Duration.ofMillis(1);

  private static final int MOST_EVENTS = 1000;

  /** How often what nobody reports is looked at: all is repaired within a second. */
  private static final Duration POLL = Duration.ofMillis(900);

  private final AgentParts parts;
  private final BlockingQueue<Event> queue = new LinkedBlockingQueue<>();
  private final WatchedCluster view;
  private final PolicyCalculation policy;
  private final DesiredState state = new DesiredState();
  private final CalicoNetwork calico;
  private final FlannelNetwork flannel = new FlannelNetwork(state);
  private final NodeKernel kernel;
  private final KernelMonitor monitor;
  private final List<ResourceFollower> followers = new ArrayList<>();
  private final NodeRefresh refresh;
  private final @Nullable EndpointStatusKeys statusKeys;
  private final @Nullable SecretReader secrets;
  private final @Nullable BgpFollower bgp;
  private final Map<Kind, String> unreachable = new EnumMap<>(Kind.class);
  private final Map<String, Long> timers = new HashMap<>();
  private final Thread thread;
  private AgentConfig config;
  private EndpointStatusFiles files;
  private boolean synced;

  /** Whether {@link #calico} has followed every change so far. */
  private boolean known;

  /** Whether the node has a host endpoint. */
  private boolean guardsHost;

  private boolean hostChanged = true;
  private int announcedMtu;
  private volatile boolean stopped;
  private volatile AgentStatus status;

  private sealed interface Event {
    record OfView(ViewEvent event) implements Event {}

    record OfKernel(KernelReport report) implements Event {}

    record OfFlannel(FlannelView view) implements Event {}

    record SecretsChanged() implements Event {}

    record Stop() implements Event {}
  }

  private Agent(AgentParts parts) {
    this.parts = parts;
    this.view = new WatchedCluster(parts.nodeName());
    // Where there is no Kubernetes, nobody stores the profiles of namespaces.
    this.policy =
        new PolicyCalculation(parts.nodeName(), !parts.datastore().cluster().isKubernetes());
    this.config = parts.configuration().of(Map.of(), Map.of());
    this.calico = new CalicoNetwork(view, config, state);
    this.status = AgentStatus.starting(parts.nodeName());
    this.files = new EndpointStatusFiles(config.endpointStatusPathPrefix());
    this.kernel =
        new NodeKernel(
            parts.host(),
            state,
            policy.filter(),
            parts.filter(),
            calico,
            config,
            parts.log(),
            System::nanoTime);
    try {
      this.monitor =
          KernelMonitor.start(parts.host(), report -> queue.add(new Event.OfKernel(report)));
    } catch (RuntimeException e) {
      kernel.close();
      throw e;
    }
    this.refresh = new NodeRefresh(parts.refreshNode(), parts.log());
    this.statusKeys =
        parts.datastore() instanceof KeyValueDatastore datastore
            ? EndpointStatusKeys.start(datastore.store(), parts.nodeName())
            : null;
    BgpParts speaker = parts.bgp();
    if (speaker == null) {
      this.secrets = null;
      this.bgp = null;
    } else {
      SecretReader reader =
          SecretReader.start(
              speaker.secrets(),
              speaker.secretInterval(),
              () -> queue.add(new Event.SecretsChanged()));
      this.secrets = reader;
      this.bgp =
          new BgpFollower(
              view, speaker.settings(), reader, speaker.configuration(), System::nanoTime);
    }
    this.thread = Thread.ofPlatform().name("agent").daemon().unstarted(this::run);
  }

  /** Starts an agent; it works until it is closed. */
  public static Agent start(AgentParts parts) {
    Agent agent = new Agent(parts);
    agent.thread.start();
    for (Kind kind : agent.kinds()) {
      agent.followers.add(
          ResourceFollower.start(
              parts.datastore(),
              ResourceQuery.of(kind),
              event -> agent.queue.add(new Event.OfView(event))));
    }
    return agent;
  }

  private Set<Kind> kinds() {
    Set<Kind> kinds = EnumSet.copyOf(WatchedCluster.KINDS);
    kinds.addAll(policy.kinds());
    return kinds;
  }

  /** Follows flannel's network as well, if the node has it. */
  public void follow(FlannelView current) {
    queue.add(new Event.OfFlannel(current));
  }

  /** What it says about itself now. */
  public AgentStatus status() {
    return status;
  }

  private void run() {
    if (parts.points().equals(CrashPoints.IGNORED)) {
      work();
    } else {
      ExchangeListener listener =
          (requests, _, _) ->
              parts.points().pass(requests.isEmpty() ? "" : requests.getFirst().operation());
      ScopedValue.where(ExchangeListener.PRESENT, listener).run(this::work);
    }
  }

  private void work() {
    kernel.resyncLinks();
    kernel.resyncRoutes();
    kernel.resyncRuleset();
    while (!stopped) {
      try {
        List<Event> events = await();
        Set<ViewChange> changes = new LinkedHashSet<>();
        events.forEach(event -> take(event, changes));
        if (view.isComplete() && policy.isComplete()) {
          runTimers();
          follow(changes);
          reconcile();
        }
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        return;
      } catch (RuntimeException e) {
        // One broken object must not end the agent: everything is read again.
        parts.log().write("reconciliation failed, starting over: " + e);
        known = false;
        recover();
      }
    }
  }

  private void recover() {
    try {
      Thread.sleep(POLL);
      kernel.resyncLinks();
      kernel.resyncRoutes();
      kernel.resyncRuleset();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      parts.log().write("the kernel cannot be read: " + e);
    }
  }

  /** Waits for events, or until something else is due. */
  private List<Event> await() throws InterruptedException {
    long now = System.nanoTime();
    OptionalLong due = kernel.next();
    long limit = POLL.toNanos();
    if (due.isPresent()) {
      limit = Math.clamp(due.getAsLong() - now, 0, limit);
    }
    if (bgp != null && synced && view.isDatastoreReady() && bgp.next().isPresent()) {
      limit = Math.clamp(bgp.next().getAsLong() - now, 0, limit);
    }
    List<Event> events = new ArrayList<>();
    Event first = queue.poll(limit, TimeUnit.NANOSECONDS);
    if (first != null) {
      events.add(first);
      queue.drainTo(events, MOST_EVENTS);
      long until = System.nanoTime() + GATHER.toNanos();
      while (events.size() < MOST_EVENTS) {
        Event more = queue.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (more == null) {
          break;
        }
        events.add(more);
        queue.drainTo(events, MOST_EVENTS - events.size());
      }
    }
    return events;
  }

  private void take(Event event, Set<ViewChange> changes) {
    switch (event) {
      case Event.OfView(ViewEvent report) -> {
        changes.addAll(view.apply(report));
        policy.apply(report);
        reachability(report);
      }
      case Event.OfKernel(KernelReport report) -> {
        kernel.apply(report);
        if (report instanceof KernelReport.OfRouting(Monitor.Event<Record> routing)) {
          hostChanged |= concernsHost(routing);
        }
      }
      case Event.OfFlannel(FlannelView current) -> {
        if (flannel.follow(current)) {
          kernel.resyncRoutes();
        }
      }
      case Event.SecretsChanged _ -> {
        if (bgp != null) {
          bgp.noteChange();
        }
      }
      case Event.Stop _ -> {}
    }
  }

  private void reachability(ViewEvent report) {
    switch (report) {
      case ViewEvent.Unreachable(Kind kind, String why) -> {
        if (unreachable.isEmpty()) {
          parts.log().write("the datastore cannot be reached, the last state is kept: " + why);
        }
        unreachable.put(kind, why);
      }
      case ViewEvent.Reachable(Kind kind) -> {
        unreachable.remove(kind);
        if (unreachable.isEmpty()) {
          parts.log().write("the datastore can be reached again");
        }
      }
      case ViewEvent.Listed _, ViewEvent.Changed _ -> {}
    }
  }

  /** Whether the node's own network may look different now. */
  private boolean concernsHost(Monitor.Event<Record> event) {
    return switch (event) {
      case Monitor.Changed<Record>(Record object) -> concernsHost(object);
      case Monitor.Removed<Record>(Record object) -> concernsHost(object);
      case Monitor.Lost<Record> _ -> true;
    };
  }

  private boolean concernsHost(Record object) {
    return object instanceof Address
        || (object instanceof Link link && !config.isWorkloadInterface(link.name()));
  }

  private void runTimers() {
    if (isDue("links", config.interfaceRefreshInterval())) {
      kernel.resyncLinks();
    }
    if (isDue("routes", config.routeRefreshInterval())) {
      kernel.resyncRoutes();
    }
    if (isDue("ruleset", config.nftablesRefreshInterval())) {
      kernel.resyncRuleset();
    }
    if (isDue("poll", POLL)) {
      kernel.poll();
      if (files.isTouched()) {
        files.resync();
      }
    }
  }

  /** An interval of zero turns a timer off. */
  private boolean isDue(String timer, Duration interval) {
    long now = System.nanoTime();
    long last = timers.computeIfAbsent(timer, _ -> now);
    boolean due = !interval.isZero() && now - last >= interval.toNanos();
    if (due) {
      timers.put(timer, now);
    }
    return due;
  }

  private void follow(Set<ViewChange> changes) {
    boolean first = !synced;
    if (bgp != null) {
      bgp.note(changes);
    }
    if (first || changes.contains(new ViewChange.SettingsChanged())) {
      configure();
    }
    if (!known) {
      calico.rebuild();
      kernel.resyncLinks();
      known = true;
    } else if (!changes.isEmpty()) {
      noteEndpoints(changes);
      calico.update(changes);
    }
    noteEndpoints(changes);
    boolean ownNode = changes.contains(new ViewChange.NodeChanged(view.localNode()));
    if (hostChanged || ownNode || first) {
      calico.follow(kernel.hostNetwork(view.node(view.localNode())));
    }
    if (hostChanged || ownNode || first || changes.contains(new ViewChange.PoolsChanged())) {
      refresh.request();
    }
    if (first || changes.stream().anyMatch(Agent::concernsTunnels)) {
      configurePolicy();
    }
    updatePolicy();
    hostChanged = false;
  }

  private void configurePolicy() {
    policy.configure(
        guardsHost ? TunnelFailsafes.in(config, view) : config.filter(),
        config.workloadSourceSpoofing());
  }

  /** Only where a host endpoint could close the tunnels are they settings of the filter. */
  private void updatePolicy() {
    policy.update();
    boolean guards = !policy.filter().hosts().isEmpty();
    if (guards != guardsHost) {
      guardsHost = guards;
      configurePolicy();
      policy.update();
    }
  }

  private static boolean concernsTunnels(ViewChange change) {
    return switch (change) {
      case ViewChange.NodeChanged _, ViewChange.PoolsChanged _, ViewChange.SettingsChanged _ ->
          true;
      case ViewChange.BlockChanged _,
          ViewChange.EndpointChanged _,
          ViewChange.ServicesChanged _,
          ViewChange.ReadinessChanged _,
          ViewChange.BgpChanged _ ->
          false;
    };
  }

  private void configure() {
    AgentConfig wanted = parts.configuration().of(view.settings(), view.labels(view.localNode()));
    if (!wanted.equals(config)) {
      if (!wanted.endpointStatusPathPrefix().equals(config.endpointStatusPathPrefix())) {
        files.apply(List.of());
        files = new EndpointStatusFiles(wanted.endpointStatusPathPrefix());
      }
      config = wanted;
      kernel.configure(wanted);
      calico.configure(wanted);
    }
  }

  /** The interfaces of changed endpoints, before and after the change. */
  private void noteEndpoints(Set<ViewChange> changes) {
    for (ViewChange change : changes) {
      if (change instanceof ViewChange.EndpointChanged(ResourceKey key)) {
        calico.endpoint(key).map(LocalEndpoint::interfaceName).ifPresent(kernel::endpointChanged);
      }
    }
  }

  private void reconcile() {
    if (!view.isDatastoreReady() && synced) {
      publish(
          List.of("ClusterInformation says that the datastore is not ready: nothing is changed"));
      return;
    }
    kernel.apply();
    if (calico.workloadMtu() != announcedMtu) {
      announcedMtu = calico.workloadMtu();
      parts.workloadMtu().accept(announcedMtu);
    }
    List<LocalEndpoint> ready = readyEndpoints();
    parts.points().pass("everything is in force");
    files.apply(ready);
    parts.points().pass("endpoint status is written");
    parts.ready().publish(files.directory(), ready);
    reportStatus(ready);
    if (!synced) {
      synced = true;
      parts.log().write("in sync: " + summary());
    }
    if (bgp != null) {
      bgp.follow(config);
    }
    publish(List.of());
  }

  private void reportStatus(List<LocalEndpoint> ready) {
    if (statusKeys == null) {
      return;
    }
    if (config.endpointReporting()) {
      statusKeys.report(view.endpoints().values(), ready, config.endpointReportingDelay());
    } else {
      statusKeys.stop();
    }
  }

  private List<LocalEndpoint> readyEndpoints() {
    return view.endpoints().values().stream().filter(kernel::isReady).toList();
  }

  private String summary() {
    return "%d nodes, %d pools, %d blocks, %d local endpoints, %d routes"
        .formatted(
            view.nodes().size(),
            view.pools().size(),
            view.blocks().size(),
            view.endpoints().size(),
            state.routes().size());
  }

  private void publish(List<String> notes) {
    List<String> problems = new ArrayList<>(notes);
    Map<ResourceKey, String> resources = new TreeMap<>(Comparator.comparing(ResourceKey::describe));
    resources.putAll(policy.problems());
    resources.putAll(view.problems());
    resources.forEach((key, why) -> problems.add(key.describe() + ": " + why));
    problems.addAll(policy.unreadable());
    problems.addAll(kernel.problems());
    files.problem().ifPresent(problems::add);
    if (statusKeys != null) {
      statusKeys.problem().ifPresent(problems::add);
    }
    refresh.problem().ifPresent(problems::add);
    problems.addAll(flannel.problems());
    if (bgp != null) {
      problems.addAll(bgp.problems());
    }
    status =
        new AgentStatus(
            view.localNode(),
            synced,
            problems,
            kernel.tunnelProblems(),
            unreachable.values().stream().findFirst().orElse(""),
            view.nodes().size(),
            view.pools().size(),
            view.blocks().size(),
            view.endpoints().size(),
            readyEndpoints().size(),
            state.routes().size(),
            calico.workloadMtu(),
            kernel.writes() + files.writes());
  }

  @Override
  public void close() {
    stopped = true;
    queue.add(new Event.Stop());
    followers.forEach(ResourceFollower::close);
    monitor.close();
    refresh.close();
    if (statusKeys != null) {
      statusKeys.close();
    }
    if (secrets != null) {
      secrets.close();
    }
    try {
      thread.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    parts.ready().withdraw();
    kernel.close();
  }
}

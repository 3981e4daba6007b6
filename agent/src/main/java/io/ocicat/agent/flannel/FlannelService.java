package io.ocicat.agent.flannel;

import io.ocicat.agent.kernel.RepairLog;
import io.ocicat.agent.startup.StartupException;
import io.ocicat.base.Backoff;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.netlink.linux.NetlinkException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * flanneld as a part of the agent: keeps the node's lease, follows the others', and publishes a
 * {@link FlannelView} whenever something has changed. Every step compares what is with what should
 * be, so that a step that failed is repeated, with backoff. Closing leaves lease, file and kernel
 * as they are.
 */
public final class FlannelService implements AutoCloseable {
  /** Files and interfaces are looked at this often, besides the reports about them. */
  private static final Duration POLL = Duration.ofSeconds(10);

  /** No pod starts without the file, and nobody reports its end. */
  private static final Duration FILE_CHECK = Duration.ofMillis(500);

  private final FlannelParts parts;
  private final FlannelSettings settings;
  private final RepairLog log;
  private final LeaseRegistry registry;
  private final @Nullable Datastore ownDatastore;
  private final SubnetFile file;
  private final FlannelDevices devices;
  private final Optional<LeaseSubnets> previous;
  private final Semaphore changes = new Semaphore(1);
  private final Thread thread;
  private final Backoff backoff = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(10));
  private String written = "";
  private volatile boolean closed;
  private volatile @Nullable FlannelView published;
  private volatile @Nullable String problem = "flannel has no lease yet";
  private volatile List<String> notes = List.of();

  private FlannelService(FlannelParts parts, @Nullable Datastore own, KeyValueStore keys) {
    this(
        parts,
        own,
        changed ->
            new KeyLeaseRegistry(
                keys,
                parts.settings(),
                InstantSource.system(),
                new SecureRandom(),
                parts.log(),
                changed));
  }

  private FlannelService(
      FlannelParts parts, @Nullable Datastore own, Function<Runnable, LeaseRegistry> registry) {
    this.parts = parts;
    this.settings = parts.settings();
    this.log = parts.log();
    this.ownDatastore = own;
    this.file = new SubnetFile(settings.subnetFile());
    this.devices = new FlannelDevices(parts.host(), new SecureRandom());
    this.previous = file.previous();
    this.registry = registry.apply(changes::release);
    this.thread = Thread.ofPlatform().name("flannel").daemon().unstarted(this::run);
  }

  /**
   * Starts it; it works until it is closed.
   *
   * @throws StartupException when the settings do not fit the datastore
   */
  public static FlannelService start(FlannelParts parts) {
    FlannelService service = open(parts);
    parts.settings().warnings().forEach(parts.log()::write);
    service.thread.start();
    return service;
  }

  private static FlannelService open(FlannelParts parts) {
    FlannelSettings settings = parts.settings();
    if (settings.nodeLeases()) {
      return new FlannelService(
          parts,
          null,
          changed ->
              new NodeLeaseRegistry(
                  parts.datastore(), parts.node(), settings, parts.log(), changed));
    }
    if (settings.etcd().isPresent()) {
      Datastore etcd = open(settings.etcd().get());
      return new FlannelService(parts, etcd, ((KeyValueDatastore) etcd).store());
    }
    if (parts.datastore() instanceof KeyValueDatastore datastore) {
      return new FlannelService(parts, null, datastore.store());
    }
    throw new StartupException(
        StartupException.Reason.BAD_SETTING,
        "flannel cannot keep leases in the Kubernetes API as keys: set"
            + " FLANNELD_KUBE_SUBNET_MGR=true, or FLANNELD_ETCD_ENDPOINTS for an etcd");
  }

  private static Datastore open(DatastoreConfig.Etcd etcd) {
    try {
      return Datastores.openOwn(etcd);
    } catch (DatastoreException e) {
      throw new StartupException(
          StartupException.Reason.BAD_SETTING,
          "flannel cannot use the etcd of FLANNELD_ETCD_ENDPOINTS: " + e.getMessage(),
          e);
    }
  }

  /** The node's own links or addresses may be different now. */
  public void hostChanged() {
    changes.release();
  }

  /** Whether the node has a lease and its file. */
  public boolean isReady() {
    return published != null;
  }

  /** What is wrong, one line each. */
  public List<String> problems() {
    List<String> all = new ArrayList<>(notes);
    Optional.ofNullable(problem).ifPresent(all::addFirst);
    return all;
  }

  private void run() {
    reportFormerRules();
    try {
      while (!closed) {
        awaitChange();
        changes.drainPermits();
        attempt(this::step);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Until something changes or the next step is due; meanwhile the file is kept as it is. */
  private void awaitChange() throws InterruptedException {
    long due = System.nanoTime() + nextStep().toNanos();
    for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
      if (changes.tryAcquire(Math.min(left, FILE_CHECK.toNanos()), TimeUnit.NANOSECONDS)) {
        return;
      }
      if (!written.isEmpty()) {
        attempt(() -> writeFile(written));
      }
    }
  }

  private void writeFile(String content) {
    if (content.equals(written)) {
      file.damage(content)
          .ifPresent(
              how ->
                  log.write(
                      "flannel: %s was %s by somebody else: writing it again"
                          .formatted(settings.subnetFile(), how)));
    }
    file.write(content);
    written = content;
  }

  private void reportFormerRules() {
    try {
      FormerRules.find(parts.host()).ifPresent(log::write);
    } catch (NetlinkException e) {
      log.write(
          "flannel: the rules of an earlier flanneld cannot be looked for: " + e.getMessage());
    }
  }

  private Duration nextStep() {
    Duration due =
        registry
            .renewal()
            .map(at -> Duration.between(Instant.now(), at))
            .filter(it -> it.compareTo(POLL) < 0)
            .orElse(POLL);
    return due.isNegative() ? Duration.ZERO : due;
  }

  private void attempt(Runnable work) throws InterruptedException {
    try {
      work.run();
      backoff.reset();
    } catch (FlannelException | DatastoreException | NetlinkException e) {
      failed(String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      // One broken object must not end flannel.
      failed(e.toString());
    }
  }

  private void failed(String message) throws InterruptedException {
    if (closed) {
      return;
    }
    String what = "flannel: " + message;
    if (!what.equals(problem)) {
      log.write(what);
    }
    problem = what;
    Thread.sleep(backoff.next());
    changes.release();
  }

  private void step() {
    Optional<String> unreachable = registry.problem();
    if (!registry.isKnown()) {
      unreachable.ifPresent(
          why -> {
            throw new FlannelException("the leases cannot be read: " + why);
          });
      return;
    }
    NetConf conf = registry.configuration();
    ExternalInterface external =
        InterfaceChoice.find(parts.host(), settings, conf.enabled(), registry.publicAddresses());
    if (conf.backend() instanceof Backend.HostGw) {
      refuseTranslation(external);
    }
    LeaseAttributes wanted = devices.attributes(conf, external, registry);
    SubnetLease own = registry.ensure(conf, wanted, previous);
    writeFile(
        SubnetFile.content(
            conf, own.subnets(), conf.backend().podMtu(external.mtu()), settings.masquerade()));
    FlannelView view =
        new FlannelView(
            conf,
            external,
            own,
            registry.others(),
            FlannelView.Rules.of(settings),
            devices.stale(conf));
    publish(view);
    note(Stream.concat(registry.unreadable().stream(), external.overlaps(conf).stream()).toList());
    registry.renew();
    problem = unreachable.map(why -> "flannel: the leases cannot be read: " + why).orElse(null);
  }

  private void note(List<String> now) {
    now.stream().filter(line -> !notes.contains(line)).forEach(log::write);
    notes = now;
  }

  /** As in flanneld: with a translated address the routes would lead elsewhere. */
  private static void refuseTranslation(ExternalInterface external) {
    external
        .publicAddresses()
        .forEach(
            (family, address) -> {
              if (!external.address(family).filter(address::equals).isPresent()) {
                throw new FlannelException(
                    "host-gw does not work behind address translation: the public address %s is not that of %s; use vxlan"
                        .formatted(address, external.name()));
              }
            });
  }

  private void publish(FlannelView view) {
    FlannelView before = published;
    if (view.equals(before)) {
      return;
    }
    if (before == null || !before.own().equals(view.own())) {
      log.write(
          "flannel: this node has %s by %s on %s"
              .formatted(view.own(), view.conf().backend().type(), view.external().name()));
    }
    published = view;
    parts.views().accept(view);
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    registry.close();
    Datastore opened = ownDatastore;
    if (opened != null) {
      opened.close();
    }
  }
}

package io.ocicat.daemon.liveness;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.daemon.liveness.ModelWorld.Cached;
import io.ocicat.daemon.liveness.ModelWorld.Folder;
import io.ocicat.daemon.liveness.ModelWorld.Lease;
import io.ocicat.daemon.liveness.ModelWorld.Link;
import io.ocicat.daemon.liveness.ModelWorld.Namespace;
import io.ocicat.daemon.liveness.ModelWorld.Rec;
import io.ocicat.daemon.liveness.UndoDecision.Permitted;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What is in use is undone only by its own DEL, and what is stale is not kept forever (review R2,
 * C1, C2): random histories of calls, kills, restarts, other implementations, renamed networks,
 * names and addresses that are used again, and clocks that are set. After each step every record is
 * put to {@link UndoPolicy}, and the answer is compared with what {@link ModelWorld} knows. {@code
 * -Docicat.longer=50} makes a million steps of the twenty thousand.
 */
class UndoPolicyModelTest {
  private static final int STEPS = 20_000;
  private static final int HISTORY = 400;
  private static final List<String> CONTAINERS = List.of("c1", "c2", "c3");
  private static final List<String> NETWORKS = List.of("blue", "green", "plain");
  private static final List<String> PLUGINS = List.of("bridge", "calico");
  private static final List<String> PATHS = List.of("/run/netns/p", "/run/netns/q", "/proc/7/ns");
  private static final int ADDRESSES = 4;

  private final long seed = Long.getLong("ocicat.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final Deque<String> history = new ArrayDeque<>();
  private ModelWorld world = new ModelWorld();
  private boolean daemonHasRun;
  private int permitted;
  private int refused;

  @Test
  void whatLivesIsNeverUndoneAndWhatIsDeadMayBe() {
    System.out.println("histories come with -Docicat.seed=" + seed);
    long steps = (long) STEPS * Integer.getInteger("ocicat.longer", 1);
    for (long step = 0; step < steps; step++) {
      if (step % HISTORY == 0) {
        world = new ModelWorld();
        history.clear();
        daemonHasRun = false;
      }
      world.mono++;
      world.wall += random.nextInt(3);
      history.addLast(act());
      verify();
    }
    System.out.printf("%d steps, %d answers yes, %d no%n", steps, permitted, refused);
    assertThat(permitted).isPositive();
    assertThat(refused).isPositive();
  }

  private String act() {
    String container = any(CONTAINERS);
    String network = any(NETWORKS);
    String path = any(PATHS);
    return switch (random.nextInt(18)) {
      case 0, 1, 2 -> add(container, network, path);
      case 3 -> addByGo(container, network, path);
      case 4, 5 -> delete(container, network, path);
      case 6 -> deleteByGo(container, network, path);
      case 7, 8 -> makeNamespace(path);
      case 9, 10 -> removeName(path);
      case 11 -> releaseNamespace();
      case 12 -> random.nextInt(5) == 0 ? reboot() : restartDaemon();
      case 13 -> setClock();
      case 14 -> collect(network);
      case 15 -> addWithoutRecord(container, network, path);
      case 16 -> random.nextInt(6) == 0 ? deleteFiles() : restartDaemon();
      default -> sweep();
    };
  }

  private <T> T any(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private Optional<Namespace> freeNamespace(String path) {
    return world.at(path).filter(ns -> ns.link == null);
  }

  /** As host-local leases: one for each container, none that is taken; on one network, none. */
  private Optional<Lease> lease(String container, String network) {
    if (network.equals("plain")) {
      return Optional.of(new Lease(network, 0, container, world.wall));
    }
    if (world.leases.stream()
        .anyMatch(it -> it.network().equals(network) && it.container().equals(container))) {
      return Optional.empty();
    }
    int address = 1 + random.nextInt(ADDRESSES) + (network.equals("blue") ? 0 : ADDRESSES);
    boolean taken =
        world.leases.stream()
            .anyMatch(it -> it.network().equals(network) && it.address() == address);
    return taken
        ? Optional.empty()
        : Optional.of(new Lease(network, address, container, world.wall));
  }

  private void take(Lease lease) {
    if (lease.address() > 0) {
      world.leases.add(lease);
    }
  }

  /** Ours: it succeeds, or is killed at any point. */
  private String add(String container, String network, String path) {
    String plugin = any(PLUGINS);
    Optional<Namespace> ns = freeNamespace(path);
    String name = container + "/" + plugin + "/" + network;
    for (Folder folder : List.of(Folder.JOURNAL, Folder.SPOOL)) {
      Optional.ofNullable(world.in(folder).get(name)).ifPresent(it -> tryUndo(folder, it));
    }
    Optional<Lease> lease = lease(container, network);
    if (ns.isEmpty() || lease.isEmpty() || !daemonHasRun) {
      return "ADD refused";
    }
    Lease got = lease.get();
    Rec record =
        new Rec(
            container,
            network,
            plugin,
            true,
            world.boot,
            world.mono,
            ns.get().inode,
            path,
            0,
            world.wall);
    int end = random.nextInt(8);
    String label = network + "/" + container;
    if (end < 4) {
      int stage = end;
      world.in(Folder.JOURNAL).put(name, record);
      if (stage > 0) {
        take(got);
      }
      if (stage > 1) {
        ns.get().link =
            new Link(network, container, got.address(), stage > 2 ? label : null, stage > 2, false);
      }
      return "ADD %s %s in %s killed at %d".formatted(name, got.address(), path, stage);
    }
    take(got);
    ns.get().link = new Link(network, container, got.address(), label, true, true);
    world
        .in(Folder.ATTACHMENTS)
        .put(
            name,
            new Rec(
                container,
                network,
                plugin,
                true,
                world.boot,
                world.mono,
                ns.get().inode,
                path,
                got.address(),
                world.wall));
    remember(container, network, path);
    return "ADD %s %d in %s".formatted(name, got.address(), path);
  }

  /** Not every runtime has a cache. */
  private void remember(String container, String network, String path) {
    if (random.nextInt(3) > 0) {
      world.cache.add(new Cached(network, container, path));
    }
  }

  private String addByGo(String container, String network, String path) {
    return attach(container, network, path, null);
  }

  /** Ours where no daemon has run since boot: there are no records of it. */
  private String addWithoutRecord(String container, String network, String path) {
    return daemonHasRun ? "nothing" : attach(container, network, path, network + "/" + container);
  }

  private String attach(String container, String network, String path, @Nullable String label) {
    Optional<Namespace> ns = freeNamespace(path);
    Optional<Lease> lease = lease(container, network);
    if (ns.isEmpty() || lease.isEmpty()) {
      return "other ADD refused";
    }
    take(lease.get());
    ns.get().link = new Link(network, container, lease.get().address(), label, true, true);
    remember(container, network, path);
    return "ADD by %s %s/%s %d in %s"
        .formatted(
            label == null ? "Go" : "nobody", container, network, lease.get().address(), path);
  }

  /** The runtime's: by name in its namespace, whoever made it; done, deferred, or killed. */
  private String delete(String container, String network, String path) {
    String plugin = any(PLUGINS);
    String name = container + "/" + plugin + "/" + network;
    Optional<Namespace> ns =
        world.at(path).filter(it -> it.link != null && it.link.container.equals(container));
    Rec record =
        new Rec(
            container,
            network,
            plugin,
            false,
            world.boot,
            world.mono,
            ns.map(it -> it.inode).orElse(0),
            ns.isPresent() ? path : "",
            0,
            world.wall);
    if (!daemonHasRun) {
      return deleteByGo(container, network, path);
    }
    boolean known = isNoted(name);
    asked(ns, container, network);
    return switch (random.nextInt(4)) {
      case 0 -> {
        ns.ifPresent(it -> it.link = null);
        world.in(Folder.SPOOL).put(name, record);
        forget(container, network);
        yield "DEL %s in %s put off".formatted(name, path);
      }
      case 1 -> {
        world.in(Folder.JOURNAL).put(name, record);
        yield "DEL %s in %s killed".formatted(name, path);
      }
      default -> {
        ns.ifPresent(it -> it.link = null);
        world.undo(record, false);
        forget(container, network);
        if (!known) {
          undoOtherNetworks(container, network);
        }
        yield "DEL %s in %s".formatted(name, path);
      }
    };
  }

  private void forget(String container, String network) {
    world.cache.removeIf(it -> it.container().equals(container) && it.network().equals(network));
  }

  private boolean isNoted(String name) {
    return world.records.values().stream().anyMatch(all -> all.containsKey(name));
  }

  /** From now on it is not wanted, whatever the outcome of the call. */
  private void asked(Optional<Namespace> ns, String container, String network) {
    ns.ifPresent(it -> Objects.requireNonNull(it.link).lives = false);
    world
        .links()
        .filter(link -> link.container.equals(container) && link.network.equals(network))
        .forEach(link -> link.lives = false);
  }

  private void undoOtherNetworks(String container, String network) {
    for (Rec other : List.copyOf(world.in(Folder.ATTACHMENTS).values())) {
      if (other.container().equals(container)
          && !other.network().equals(network)
          && other.boot() == world.boot) {
        tryUndo(UndoReason.RENAMED_NETWORK, Folder.ATTACHMENTS, other);
      }
    }
  }

  private String deleteByGo(String container, String network, String path) {
    Optional<Namespace> ns =
        world.at(path).filter(it -> it.link != null && it.link.container.equals(container));
    asked(ns, container, network);
    ns.ifPresent(it -> it.link = null);
    world.leases.removeIf(it -> it.network().equals(network) && it.container().equals(container));
    world.cache.removeIf(it -> it.container().equals(container) && it.network().equals(network));
    return "DEL by Go %s/%s in %s".formatted(container, network, path);
  }

  private String makeNamespace(String path) {
    if (world.at(path).isEmpty()) {
      world.create(path).held = random.nextInt(3) == 0;
    }
    return "namespace " + path;
  }

  private String removeName(String path) {
    world.at(path).ifPresent(ns -> ns.path = null);
    world.dropUnreachable();
    return "no more " + path;
  }

  /** The process that held a namespace without a name ends. */
  private String releaseNamespace() {
    if (!world.namespaces.isEmpty()) {
      any(world.namespaces).held = false;
      world.dropUnreachable();
    }
    return "let go";
  }

  private String reboot() {
    world.boot++;
    world.namespaces.clear();
    if (random.nextInt(4) > 0) {
      world.in(Folder.JOURNAL).clear();
      world.in(Folder.SPOOL).clear();
      daemonHasRun = false;
    }
    return "REBOOT";
  }

  private String restartDaemon() {
    daemonHasRun = true;
    for (Folder folder : List.of(Folder.JOURNAL, Folder.ATTACHMENTS, Folder.SPOOL)) {
      for (Rec record : List.copyOf(world.in(folder).values())) {
        if (folder != Folder.ATTACHMENTS || record.boot() != world.boot) {
          tryUndo(folder, record);
        }
      }
    }
    return "daemon started";
  }

  private String setClock() {
    world.wall += random.nextInt(200_000) - 100_000;
    return "clock " + world.wall;
  }

  /** The runtime lists what is in use on the network. */
  private String collect(String network) {
    Set<String> valid =
        world
            .links()
            .filter(link -> link.lives && link.network.equals(network))
            .map(link -> link.container)
            .collect(Collectors.toSet());
    for (Folder folder : Folder.values()) {
      for (Rec record : List.copyOf(world.in(folder).values())) {
        if (record.network().equals(network) && !valid.contains(record.container())) {
          tryUndo(UndoReason.GC, folder, record);
        }
      }
    }
    return "GC of " + network;
  }

  /** An administrator deletes files. */
  private String deleteFiles() {
    if (random.nextBoolean()) {
      world.cache.clear();
      return "cache removed";
    }
    world.records.values().forEach(Map::clear);
    return "our state removed";
  }

  private String sweep() {
    for (Rec record : List.copyOf(world.in(Folder.ATTACHMENTS).values())) {
      if (record.boot() != world.boot || !world.isThere(record)) {
        tryUndo(Folder.ATTACHMENTS, record);
      }
    }
    return "sweep";
  }

  private void tryUndo(Folder folder, Rec record) {
    tryUndo(reason(folder, record), folder, record);
  }

  private void tryUndo(UndoReason reason, Folder folder, Rec record) {
    if (folder == Folder.JOURNAL && isCommitted(record)) {
      world.in(folder).remove(record.name());
      return;
    }
    if (UndoPolicy.decide(reason, world.evidence(folder, record))
        instanceof Permitted(boolean enters)) {
      requireHarmless(reason, record, enters);
      world.undo(record, enters);
    }
  }

  private boolean isCommitted(Rec killed) {
    Rec attached = world.in(Folder.ATTACHMENTS).get(killed.name());
    return killed.isAdd() && attached != null && world.isThere(attached);
  }

  private UndoReason reason(Folder folder, Rec record) {
    if (record.boot() != world.boot) {
      return UndoReason.EARLIER_BOOT;
    }
    return switch (folder) {
      case ATTACHMENTS -> UndoReason.NAMESPACE_GONE;
      case SPOOL -> UndoReason.DEFERRED_DEL;
      case JOURNAL -> record.isAdd() ? UndoReason.KILLED_ADD : UndoReason.KILLED_DEL;
    };
  }

  private void verify() {
    for (Map.Entry<Folder, Map<String, Rec>> folder : world.records.entrySet()) {
      for (Rec record : folder.getValue().values()) {
        if (folder.getKey() == Folder.JOURNAL && isCommitted(record)) {
          continue;
        }
        UndoReason reason = reason(folder.getKey(), record);
        Evidence evidence = world.evidence(folder.getKey(), record);
        switch (UndoPolicy.decide(reason, evidence)) {
          case Permitted(boolean enters) -> {
            permitted++;
            requireHarmless(reason, record, enters);
          }
          case UndoDecision.Refused(String because) -> {
            refused++;
            assertThat(isCertainlyStale(folder.getKey(), record))
                .as("%s is kept (%s) with seed %d after %s", record, because, seed, history())
                .isFalse();
          }
        }
      }
    }
  }

  private void requireHarmless(UndoReason reason, Rec record, boolean enters) {
    assertThat(world.harmedBy(record, enters))
        .as("harm by undoing %s (%s) with seed %d after %s", record, reason, seed, history())
        .isEmpty();
  }

  private List<String> history() {
    List<String> steps = new ArrayList<>(history);
    return steps.subList(Math.max(0, steps.size() - 40), steps.size());
  }

  /** Nothing that exists has its container's name, its address or its namespace's number. */
  private boolean isCertainlyStale(Folder folder, Rec record) {
    boolean named =
        world.links().anyMatch(link -> link.container.equals(record.container()))
            || world.cache.stream()
                .anyMatch(
                    entry ->
                        entry.container().equals(record.container())
                            && world.at(entry.path()).isPresent())
            || world.records.values().stream()
                .flatMap(all -> all.values().stream())
                .anyMatch(
                    other ->
                        !other.equals(record)
                            && other.container().equals(record.container())
                            && other.boot() == world.boot);
    boolean addressed =
        world
            .links()
            .anyMatch(
                link ->
                    (link.address > 0 && link.address == record.address())
                        || world.leases.stream()
                            .anyMatch(
                                lease ->
                                    lease.container().equals(record.container())
                                        && lease.network().equals(record.network())
                                        && lease.address() == link.address));
    boolean leasedSince =
        world.leases.stream()
            .anyMatch(
                lease ->
                    lease.container().equals(record.container())
                        && lease.network().equals(record.network())
                        && lease.written() > record.written());
    boolean there = folder == Folder.ATTACHMENTS && world.isThere(record);
    boolean occupied = world.at(record.path()).filter(ns -> ns.link != null).isPresent();
    return !named && !addressed && !leasedSince && !there && !occupied;
  }
}

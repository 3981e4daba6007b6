package io.ocicat.interop.soak;

import io.ocicat.testkit.Output;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * Containers come and go by our plugins and by Go's on one host, while what they depend on is taken
 * away and restored. No address is ever assigned twice, no running container is without network,
 * and at the end nothing is left. Runs on its own machine: see {@code SoakTest}.
 */
public final class Soak {
  private static final int WORKERS = 3;
  private static final int CONTAINERS = 6;

  /** Everything else waits for it. */
  private static final int BETWEEN_HAND_OVERS = 10;

  private static final Duration PAUSE = Duration.ofSeconds(2);
  private static final Duration END = Duration.ofMinutes(5);

  /** What happens to the machine. */
  enum Disturbance {
    DAEMON_KILLED,
    ETCD_STOPPED,
    DISK_FULL,
    NO_DESCRIPTORS,
    NETWORK_RENAMED,
    PODMAN_RESTARTED,
    HANDED_OVER
  }

  private static final List<Disturbance> SHORT =
      List.of(
          Disturbance.DAEMON_KILLED,
          Disturbance.ETCD_STOPPED,
          Disturbance.DISK_FULL,
          Disturbance.NO_DESCRIPTORS,
          Disturbance.NETWORK_RENAMED);

  /** With podman. */
  private static final List<Disturbance> LONG =
      List.of(
          Disturbance.DAEMON_KILLED,
          Disturbance.ETCD_STOPPED,
          Disturbance.DISK_FULL,
          Disturbance.NO_DESCRIPTORS,
          Disturbance.NETWORK_RENAMED,
          Disturbance.PODMAN_RESTARTED);

  private final Machine machine;
  private final Fleet fleet;
  private final @Nullable Web web;
  private final long seed;
  private final long end;

  /** Held for writing while all containers must stay as they are. */
  private final ReadWriteLock calm = new ReentrantReadWriteLock();

  private int disturbances;
  private final Map<Disturbance, Integer> disturbed = new EnumMap<>(Disturbance.class);

  private Soak(Machine machine, @Nullable Web web, Duration length, long seed) {
    this.machine = machine;
    this.web = web;
    this.fleet = new Fleet(machine);
    this.seed = seed;
    this.end = System.nanoTime() + length.toNanos();
  }

  /**
   * The distribution's folder, the duration in seconds, a seed, and the control group for podman,
   * if podman is to take part.
   */
  public static void main(String[] args) throws Exception {
    try (Machine machine = new Machine(Path.of(args[0]))) {
      Duration length = Duration.ofSeconds(Long.parseLong(args[1]));
      @Nullable Web web = args.length > 3 ? new Web(args[3]) : null;
      Soak soak = new Soak(machine, web, length, Long.parseLong(args[2]));
      System.exit(soak.run() ? 0 : 1);
    }
  }

  private boolean isOver() {
    return System.nanoTime() >= end;
  }

  private boolean run() throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      Random random = new Random(seed + i);
      threads.add(start("worker", () -> work(random)));
    }
    Random visits = new Random(seed + 50);
    threads.add(start("visitor", () -> visit(visits)));
    Random troubles = new Random(seed + 100);
    threads.add(start("disturber", () -> disturb(troubles)));
    for (Thread thread : threads) {
      thread.join();
    }
    Random random = new Random(seed);
    for (Fleet.Box box : fleet.live()) {
      fleet.visit(box);
      fleet.detach(box, random);
    }
    if (web != null) {
      web.remove();
    }
    awaitNothing();
    System.out.printf(
        "seed %d: %d ADDs by ours, %d by Go's, %d refused, %d DELs, %d DELs again, %d visits, %s,"
            + " %d violations%n",
        seed,
        fleet.added.get(),
        fleet.addedByGo.get(),
        fleet.refused.get(),
        fleet.deleted.get(),
        fleet.retried.get(),
        fleet.pinged.get(),
        disturbed,
        fleet.violations().size());
    return fleet.violations().isEmpty();
  }

  private void awaitNothing() throws InterruptedException {
    long limit = System.nanoTime() + END.toNanos();
    String left = machine.leftovers();
    while (!left.isEmpty() && System.nanoTime() < limit) {
      Thread.sleep(500);
      left = machine.leftovers();
    }
    if (!left.isEmpty()) {
      fleet.violation("left behind:\n" + left);
    }
  }

  /** A step that is repeated until the end. */
  private interface Step {
    void run() throws IOException, InterruptedException;
  }

  private Thread start(String name, Step step) {
    return Thread.ofPlatform()
        .name(name)
        .start(
            () -> {
              while (!isOver()) {
                try {
                  step.run();
                } catch (IOException | InterruptedException | RuntimeException e) {
                  fleet.violation(name + " ended: " + e);
                  return;
                }
              }
            });
  }

  private void work(Random random) throws InterruptedException {
    calm.readLock().lock();
    try {
      List<Fleet.Box> live = fleet.live();
      if (live.size() < CONTAINERS && random.nextInt(CONTAINERS) >= live.size() / 2) {
        fleet.attach(random);
      } else if (!live.isEmpty()) {
        fleet.detach(live.get(random.nextInt(live.size())), random);
      }
    } finally {
      calm.readLock().unlock();
    }
  }

  private void visit(Random random) throws InterruptedException {
    List<Fleet.Box> live = fleet.live();
    if (!live.isEmpty()) {
      fleet.visit(live.get(random.nextInt(live.size())));
    }
    Thread.sleep(100);
  }

  private void disturb(Random random) throws IOException, InterruptedException {
    Thread.sleep(1000 + random.nextInt(3000));
    List<Disturbance> usual = web == null ? SHORT : LONG;
    Disturbance next =
        ++disturbances % BETWEEN_HAND_OVERS == 0
            ? Disturbance.HANDED_OVER
            : usual.get(random.nextInt(usual.size()));
    switch (next) {
      case DAEMON_KILLED -> machine.killDaemon();
      case ETCD_STOPPED -> machine.stopEtcd(PAUSE);
      case DISK_FULL -> machine.fillDisk(PAUSE);
      case NO_DESCRIPTORS -> machine.useUpDescriptors(PAUSE);
      case NETWORK_RENAMED -> machine.rename();
      case PODMAN_RESTARTED -> restart(Machine.OURS);
      case HANDED_OVER -> handOver();
    }
    disturbed.merge(next, 1, Integer::sum);
  }

  private void restart(Path plugins) throws IOException {
    if (web != null) {
      web.restart(plugins);
    }
  }

  /** Podman can go from our plugins to the originals only in this way. */
  private void handOver() throws IOException {
    calm.writeLock().lock();
    try {
      Output output = machine.handOver();
      if (output.succeeded()) {
        fleet.handedOver();
        restart(Machine.GO);
      } else {
        fleet.violation("hand-over: " + output);
      }
    } finally {
      calm.writeLock().unlock();
    }
  }
}

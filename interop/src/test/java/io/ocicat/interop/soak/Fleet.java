package io.ocicat.interop.soak;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ConfigList;
import io.ocicat.cni.PortMapping;
import io.ocicat.cni.Result;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.cni.runtime.Container;
import io.ocicat.cni.runtime.Network;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/**
 * The containers of the soak: attached by either side, deleted by either as far as that is
 * promised, and identified by the address that each was given. Thread-safe.
 */
final class Fleet {
  private static final Duration TIMEOUT = Duration.ofMinutes(3);

  /** A container that is attached and not being deleted yet. */
  record Box(Container container, boolean ours, ConfigList network, String address) {
    String id() {
      return container.id().value();
    }

    @Override
    public String toString() {
      return "%s (%s, %s)".formatted(id(), network.name(), ours ? "ours" : "Go's");
    }
  }

  private final Machine machine;
  private final AtomicInteger numbers = new AtomicInteger();
  private final Map<String, Box> byAddress = new ConcurrentHashMap<>();
  private final Queue<String> violations = new ConcurrentLinkedQueue<>();
  final AtomicInteger added = new AtomicInteger();
  final AtomicInteger addedByGo = new AtomicInteger();
  final AtomicInteger refused = new AtomicInteger();
  final AtomicInteger deleted = new AtomicInteger();
  final AtomicInteger retried = new AtomicInteger();
  final AtomicInteger pinged = new AtomicInteger();

  Fleet(Machine machine) {
    this.machine = machine;
  }

  List<Box> live() {
    return List.copyOf(byAddress.values());
  }

  List<String> violations() {
    return List.copyOf(violations);
  }

  void violation(String what) {
    violations.add(what);
    System.out.println("VIOLATION " + what);
  }

  private static Cni runtime(boolean ours) {
    return Cni.builder()
        .confDirectory(Machine.CONF)
        .pluginDirectories(ours ? Machine.OURS : Machine.GO, Machine.GO)
        .timeLimit(Duration.ofMinutes(1))
        .build();
  }

  /** A new container on any network by any side; when it is refused, DEL as runtimes do it. */
  void attach(RandomGenerator random) throws InterruptedException {
    int number = numbers.incrementAndGet();
    String id = "soak-" + number;
    Shell.run("ip netns add " + id);
    boolean calico = random.nextInt(3) == 0;
    boolean ours = calico || random.nextBoolean();
    String network = calico ? Machine.CALICO : machine.bridge();
    Container container = Container.of(id, "/run/netns/" + id);
    if (!calico) {
      container =
          container.portMappings(
              new PortMapping(20_000 + number % 20_000, 80, PortMapping.Protocol.TCP, null));
    }
    Network chosen;
    try {
      chosen = runtime(ours).network(network);
    } catch (CniException e) {
      Shell.run("ip netns del " + id); // It was renamed just now.
      return;
    }
    try {
      Result result = chosen.add(container);
      String address = result.ips().getFirst().address().address().toString();
      Box box = new Box(container, ours, chosen.config(), address);
      Box other = byAddress.put(address, box);
      if (other != null) {
        violation("%s was given to %s while %s has it".formatted(address, box, other));
      }
      (ours ? added : addedByGo).incrementAndGet();
    } catch (CniException e) {
      refused.incrementAndGet();
      delete(ours, chosen.config(), container);
    }
  }

  /** By ours in any case; by the Go plugins only what they have attached themselves. */
  void detach(Box box, RandomGenerator random) throws InterruptedException {
    if (byAddress.remove(box.address(), box)) {
      boolean ours = box.ours() || random.nextBoolean();
      delete(ours, box.network(), box.container());
      deleted.incrementAndGet();
    }
  }

  /** What was ours on the bridge now belongs to the Go plugins. */
  void handedOver() {
    for (Box box : live()) {
      if (!box.network().name().equals(Machine.CALICO)) {
        byAddress.replace(
            box.address(), new Box(box.container(), false, box.network(), box.address()));
      }
    }
  }

  private void delete(boolean ours, ConfigList network, Container container)
      throws InterruptedException {
    String id = container.id().value();
    long limit = System.nanoTime() + TIMEOUT.toNanos();
    while (true) {
      try {
        runtime(ours).network(network).del(container);
        Shell.run("ip netns del " + id);
        return;
      } catch (CniException e) {
        retried.incrementAndGet();
        if (System.nanoTime() > limit) {
          violation("%s cannot be deleted: %s".formatted(id, e.getMessage()));
          Shell.attempt("ip netns del " + id);
          return;
        }
        Thread.sleep(300);
      }
    }
  }

  /** Checks that it has its address and reaches the host, unless it was deleted meanwhile. */
  void visit(Box box) {
    String script =
        "ip netns exec %s sh -c 'ip -4 -br address show eth0 | grep -qF \" %s/\" && busybox ping -c2 -W5 192.0.2.1 >/dev/null'"
            .formatted(box.id(), box.address());
    for (int attempt = 1; box.equals(byAddress.get(box.address())); attempt++) {
      if (Shell.attempt(script).succeeded()) {
        pinged.incrementAndGet();
        return;
      }
      if (attempt == 5 && box.equals(byAddress.get(box.address()))) {
        violation(box + " has no network");
        return;
      }
    }
  }
}

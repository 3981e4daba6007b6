package io.ocicat.daemon.address;

import io.ocicat.daemon.state.DaemonState;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.gc.CollectionResult;
import io.ocicat.ipam.gc.GarbageCollector;
import io.ocicat.ipam.gc.NodeLiveness;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.plugins.resident.NodeIpam;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Releases addresses of this node that nothing on it uses, in the datastores that calls have used.
 * An address is released when two scans, some time apart, find it unused; before that every
 * namespace of the machine is searched for it. Many nodes scan a shared datastore, so it is scanned
 * less often than one that belongs to this machine alone. For one thread.
 */
public final class AddressGc {
  private static final int MINUTES_IF_SHARED = 15;
  private static final Duration GRACE = Duration.ofMinutes(2);
  private static final Duration GRACE_IF_SHARED = Duration.ofMinutes(14);

  private final RecordedContainers recorded;
  private final Supplier<List<NodeIpam>> served;
  private final Supplier<Set<IpAddress>> kernel;
  private final ClockAndRandom sources;
  private final Map<Map.Entry<DatastoreConfig, String>, GarbageCollector> collectors =
      new HashMap<>();
  private int minute;
  private String trouble = "";

  public AddressGc(
      DaemonState state,
      Supplier<List<NodeIpam>> served,
      Supplier<Set<IpAddress>> kernel,
      ClockAndRandom sources) {
    this.recorded = new RecordedContainers(state, sources.clock());
    this.served = served;
    this.kernel = kernel;
    this.sources = sources;
  }

  /**
   * Runs once a minute.
   *
   * @param note receives what was released, and what could not be
   */
  public void run(Consumer<String> note) {
    minute++;
    for (NodeIpam one : served.get()) {
      if (isShared(one) && minute % MINUTES_IF_SHARED != 0) {
        continue;
      }
      try {
        report(one, collect(one), note);
        trouble = "";
      } catch (RuntimeException e) {
        noteOnce("addresses of node %s could not be checked: %s".formatted(one.node(), e), note);
      }
    }
  }

  /** Logs a recurring failure only once. */
  private void noteOnce(String sentence, Consumer<String> note) {
    if (!sentence.equals(trouble)) {
      note.accept(sentence);
    }
    trouble = sentence;
  }

  private static boolean isShared(NodeIpam one) {
    return !(one.config() instanceof DatastoreConfig.Embedded);
  }

  private CollectionResult collect(NodeIpam one) {
    NodeAddressLiveness liveness = NodeAddressLiveness.of(one.node(), recorded, one.datastore());
    // A first pass never releases anything: it shows whether namespaces have to be read.
    if (!collector(one).collect(liveness.toNodeLiveness()).suspects().isEmpty()) {
      liveness.and(kernel.get());
    }
    NodeLiveness complete = liveness.toNodeLiveness();
    return collectors
        .computeIfAbsent(Map.entry(one.config(), one.node()), _ -> collector(one))
        .collect(complete);
  }

  private GarbageCollector collector(NodeIpam one) {
    return new GarbageCollector(
        one.ipam(),
        one.datastore(),
        sources,
        one.machines(),
        isShared(one) ? GRACE_IF_SHARED : GRACE);
  }

  private static void report(NodeIpam one, CollectionResult collected, Consumer<String> note) {
    if (!collected.released().isEmpty()) {
      note.accept(
          "released %s of node %s: nothing on it has had them for a while"
              .formatted(collected.released(), one.node()));
    }
    collected.problems().forEach(problem -> note.accept(String.valueOf(problem.getMessage())));
  }
}

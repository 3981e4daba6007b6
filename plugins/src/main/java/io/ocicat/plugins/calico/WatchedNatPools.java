package io.ocicat.plugins.calico;

import io.ocicat.cni.NetworkName;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.ipam.cluster.WatchedPools;
import io.ocicat.plugins.calicocluster.CalicoBackend;
import io.ocicat.plugins.net.NetnsSockets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Keeps masquerading in line with the pools of all datastores that calls have used, in a resident
 * process: applies changes of {@code natOutgoing}, and removes our table when an agent begins to
 * serve the node, whether or not there are calls. Thread-safe.
 */
final class WatchedNatPools {
  /** What a network was last used with. */
  private record Watched(
      DatastoreConfig config, String node, Path status, Datastore datastore, WatchedPools pools) {}

  /** A datastore's pools and when they were read. */
  private record Seen(List<IpPool> pools, long nanos) {}

  /**
   * Calico's Kubernetes roles do not permit watching pools, so each check is a request: a cached
   * list counts as current until the next check would be due anyway.
   */
  private static final Duration MAX_AGE = Duration.ofMinutes(1);

  private final Map<NetworkName, Watched> networks = new ConcurrentHashMap<>();
  private final Map<DatastoreConfig, Seen> seen = new ConcurrentHashMap<>();

  /** The pools for an ADD: current ones or, on Kubernetes, cached ones. */
  Supplier<List<IpPool>> pools(CalicoBackend backend, NatOutgoingReconciler nat) {
    Optional<List<IpPool>> known =
        backend.isKubernetes() ? recent(backend.config()) : Optional.empty();
    if (known.isPresent()) {
      return known::get;
    }
    return backend.ask(() -> cache(backend.config(), nat.pools()))::get;
  }

  private Optional<List<IpPool>> recent(DatastoreConfig config) {
    return Optional.ofNullable(seen.get(config))
        .filter(it -> System.nanoTime() - it.nanos() < MAX_AGE.toNanos())
        .map(Seen::pools);
  }

  private List<IpPool> cache(DatastoreConfig config, List<IpPool> pools) {
    seen.put(config, new Seen(pools, System.nanoTime()));
    return pools;
  }

  /** Registers a network's use of a datastore; nothing is watched before the first check. */
  void register(NetworkName network, CalicoConf conf, String node, CalicoBackend backend) {
    networks.compute(
        network,
        (_, known) -> {
          if (known != null && known.config().equals(backend.config())) {
            return known;
          }
          if (known != null) {
            known.pools().close();
          }
          return new Watched(
              backend.config(),
              node,
              conf.endpointStatusDir(),
              backend.datastore(),
              new WatchedPools(backend.datastore()));
        });
  }

  /**
   * Checks all of them.
   *
   * @param thorough whether to also check what changes rarely, or only by mistake
   * @param note receives what could not be done
   */
  void reconcile(Path hostNetns, boolean thorough, Consumer<String> note) {
    networks.forEach(
        (network, one) -> {
          try (NetnsSockets host = NetnsSockets.of(hostNetns)) {
            NatOutgoingReconciler nat =
                new NatOutgoingReconciler(host, network, one.node(), one.status(), one.datastore());
            if (thorough) {
              nat.reconcile(cache(one.config(), one.pools().get()));
            } else {
              NatOutgoingReconciler.Snapshot snapshot = nat.look();
              nat.apply(snapshot.decide(() -> pools(one)), snapshot.tables());
            }
          } catch (RuntimeException e) {
            note.accept(
                "natOutgoing of network %s was not reconciled: %s"
                    .formatted(network, e.getMessage()));
          }
        });
  }

  private List<IpPool> pools(Watched one) {
    Optional<List<IpPool>> known =
        one.config() instanceof DatastoreConfig.Kubernetes
            ? recent(one.config())
            : Optional.empty();
    return known.orElseGet(() -> cache(one.config(), one.pools().get()));
  }
}

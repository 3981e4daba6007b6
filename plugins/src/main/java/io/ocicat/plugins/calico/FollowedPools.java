package io.ocicat.plugins.calico;

import io.ocicat.cni.NetworkName;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.ipam.WatchedPools;
import io.ocicat.plugins.calicocluster.Backend;
import io.ocicat.plugins.net.Net;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The pools of the datastores that calls have used, for a process that stays: what they say about
 * {@code natOutgoing} is made so when it changes, and taken back when an agent comes to serve the
 * node, whether or not there are calls. Thread-safe.
 */
final class FollowedPools {
  /** What a network was last used with. */
  private record Followed(
      DatastoreConfig config, String node, Path status, Datastore datastore, WatchedPools pools) {}

  private final Map<NetworkName, Followed> followed = new ConcurrentHashMap<>();

  /** A network was used with this; nothing is watched before somebody looks. */
  void learn(NetworkName network, CalicoConf conf, String node, Backend backend) {
    followed.compute(
        network,
        (_, known) -> {
          if (known != null && known.config().equals(backend.config())) {
            return known;
          }
          if (known != null) {
            known.pools().close();
          }
          return new Followed(
              backend.config(),
              node,
              conf.endpointStatusDir(),
              backend.datastore(),
              new WatchedPools(backend.datastore()));
        });
  }

  /**
   * Looks at all of them.
   *
   * @param thorough whether to look also at what changes rarely, or only by somebody's mistake
   * @param note is told what could not be done
   */
  void reconcile(Path hostNetns, boolean thorough, Consumer<String> note) {
    followed.forEach(
        (network, one) -> {
          try (Net host = Net.of(hostNetns)) {
            NodeNat nat = new NodeNat(host, network, one.node(), one.status(), one.datastore());
            if (thorough) {
              nat.reconcile(one.pools().get());
            } else {
              nat.apply(nat.decide(() -> one.pools().get()));
            }
          } catch (RuntimeException e) {
            note.accept(
                "what leaves the pools of network %s was not looked at: %s"
                    .formatted(network, e.getMessage()));
          }
        });
  }
}

package io.ocicat.plugins.calicoipam;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.plugins.calicocluster.CalicoBackend;
import java.util.stream.Stream;

/** Checks whether ADD could work now, as far as possible without reading every block. */
final class Availability {
  private Availability() {}

  static void require(CalicoBackend backend, CalicoIpamConf conf, String node) {
    Datastore datastore = backend.datastore();
    IpamErrors.attempt(
        "the datastore cannot be used",
        () -> {
          if (!backend.isEmbedded()) {
            requireNode(datastore, node);
          }
          if (conf.v4()) {
            requirePool(datastore, IpVersion.V4);
          }
          if (conf.v6()) {
            requirePool(datastore, IpVersion.V6);
          }
          datastore
              .writeProblem()
              .ifPresent(
                  why -> {
                    throw unavailable(why);
                  });
          return datastore;
        });
  }

  private static void requireNode(Datastore datastore, String node) {
    try {
      datastore.get(ResourceKey.of(Kind.NODE, node));
    } catch (NotFoundException e) {
      throw unavailable(
          "the datastore knows no node \"%s\": calico/node registers it, or `ocicat apply`"
              .formatted(node));
    }
  }

  private static void requirePool(Datastore datastore, IpVersion version) {
    boolean any =
        datastore.list(ResourceQuery.of(Kind.IP_POOL)).items().stream()
            .flatMap(Availability::readable)
            .anyMatch(
                pool ->
                    pool.enabled()
                        && pool.version() == version
                        && pool.allows(IpPool.Use.WORKLOAD));
    if (!any) {
      throw unavailable(
          "there is no enabled %s pool for workloads: create one with `ocicat apply`"
              .formatted(version == IpVersion.V4 ? "IPv4" : "IPv6"));
    }
  }

  private static Stream<IpPool> readable(Resource pool) {
    try {
      return Stream.of(IpPool.of(pool));
    } catch (CorruptException _) {
      return Stream.empty();
    }
  }

  private static CniException unavailable(String why) {
    return new CniException(ErrorCode.PLUGIN_NOT_AVAILABLE, why);
  }
}

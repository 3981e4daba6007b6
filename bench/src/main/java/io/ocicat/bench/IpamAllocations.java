package io.ocicat.bench;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.embedded.EmbeddedStore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ipam.model.AutoAssignRequest;
import io.ocicat.testkit.Etcd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Measures Calico's IPAM: one host on the embedded datastore, the cost with few and with very many
 * addresses in use, and a thousand hosts on one etcd.
 *
 * <p>Usage: {@code IpamAllocations [hosts [addresses of each [allocations a second]]]}; no hosts
 * for the embedded datastore alone.
 */
public final class IpamAllocations {
  private IpamAllocations() {}

  public static void main(String[] args) throws Exception {
    int hosts = args.length > 0 ? Integer.parseInt(args[0]) : 1000;
    int each = args.length > 1 ? Integer.parseInt(args[1]) : 20;
    int rate = args.length > 2 ? Integer.parseInt(args[2]) : 1250;
    Path directory = Files.createTempDirectory("ocicat-bench-ipam");
    try {
      try (Datastore datastore = EmbeddedStore.openDatastore(directory.resolve("embedded"))) {
        pool(datastore, "10.0.0.0/8");
        IpamOneHost.atOnce(datastore);
        IpamOneHost.withManyInUse(datastore);
      }
      if (hosts > 0) {
        try (Etcd etcd = new Etcd(directory).start()) {
          new IpamManyHosts(etcd, hosts, each, rate).run();
        }
      }
    } finally {
      delete(directory);
    }
  }

  static void pool(Datastore datastore, String cidr) {
    datastore.create(
        Resource.of(
            new ResourceKey.Named(Kind.IP_POOL, "", "bench"),
            spec -> spec.put("cidr", cidr).put("blockSize", 26)));
  }

  static void node(Datastore datastore, String name) {
    datastore.create(Resource.of(new ResourceKey.Named(Kind.NODE, "", name), _ -> {}));
  }

  static AutoAssignRequest request(String host, String handle, int count) {
    return AutoAssignRequest.on(host)
        .withCounts(count, 0)
        .withMaxBlocks(1 << 20)
        .withHandle(
            handle,
            Map.of("node", host, "namespace", "shop", "pod", handle, "timestamp", "2026-01-01"));
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}

package io.ocicat.examples.datastore;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.embedded.EmbeddedStore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.ResourceWatch;
import java.nio.file.Path;
import java.time.Duration;

/** Creates, changes and watches a pool in the embedded datastore. */
public final class WatchPool {
  private WatchPool() {}

  static void main() {
    try (Datastore datastore = EmbeddedStore.openDatastore(Path.of("/var/lib/ocicat"))) {
      ResourcePage before = datastore.list(ResourceQuery.of(Kind.IP_POOL));
      Resource pool =
          datastore.create(
              Resource.of(
                  new ResourceKey.Named(Kind.IP_POOL, "", "blue"),
                  spec -> spec.put("cidr", "10.65.0.0/16")));
      datastore.update(
          pool.edit(document -> document.withObject("/spec").put("natOutgoing", true)));

      try (ResourceWatch watch =
          datastore.watch(ResourceQuery.of(Kind.IP_POOL), before.revision())) {
        watch.next(Duration.ofSeconds(30)).events().forEach(System.out::println);
      }
    }
  }
}

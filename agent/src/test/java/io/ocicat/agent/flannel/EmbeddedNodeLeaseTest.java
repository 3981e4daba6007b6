package io.ocicat.agent.flannel;

import static java.util.Objects.requireNonNull;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import tools.jackson.databind.node.ArrayNode;

class EmbeddedNodeLeaseTest extends NodeLeaseSuite {
  private @Nullable Datastore datastore;

  @BeforeEach
  void open() {
    datastore = Datastores.openOwn(new DatastoreConfig.Embedded(folder.resolve("datastore")));
  }

  @AfterEach
  void close() {
    datastore().close();
  }

  @Override
  Datastore datastore() {
    return requireNonNull(datastore);
  }

  @Override
  void join(String node, String... podCidrs) {
    datastore()
        .create(
            Resource.of(new ResourceKey.Named(Kind.NODE, "", node), _ -> {})
                .edit(
                    document -> {
                      ArrayNode cidrs = document.putObject("status").putArray("podCIDRs");
                      for (String cidr : podCidrs) {
                        cidrs.add(cidr);
                      }
                    }));
  }

  @Override
  void leave(String node) {
    datastore().delete(ResourceKey.of(Kind.NODE, node), null);
  }
}

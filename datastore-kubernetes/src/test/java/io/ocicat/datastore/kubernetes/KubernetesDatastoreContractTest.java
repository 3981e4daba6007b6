package io.ocicat.datastore.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.contract.DatastoreContract;
import io.ocicat.datastore.error.UnsupportedException;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.model.Crds;
import io.ocicat.datastore.resource.Kind;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The contract with the older group, discovered. */
class KubernetesDatastoreContractTest extends DatastoreContract {
  private final ApiServer server = new ApiServer();

  ApiGroup group() {
    return ApiGroup.V1;
  }

  /**
   * Pods, namespaces and nodes are made with kubectl, endpoint slices by Kubernetes, and cluster
   * network policies need a definition of others; IPAM needs no list of hosts.
   */
  @Override
  protected boolean isKeptByOthers(Kind kind) {
    return switch (kind) {
      case WORKLOAD_ENDPOINT,
          PROFILE,
          NODE,
          NAMESPACE,
          CLUSTER_NETWORK_POLICY,
          ENDPOINT_SLICE,
          IPAM_HOST ->
          true;
      default -> false;
    };
  }

  @Override
  protected void prepare() {
    server.define(Crds.of(group()));
    List.of("shop", "shop-2", "other", "default").forEach(server::createNamespace);
  }

  @Override
  protected Datastore open() {
    return Opening.open(server);
  }

  @Override
  protected void restart() {
    server.restart();
  }

  @Test
  void itHasNoTransactions() {
    Datastore datastore = datastore();
    assertThat(datastore.hasTransactions()).isFalse();
    assertThatThrownBy(() -> datastore.commit(List.of())).isInstanceOf(UnsupportedException.class);
  }

  @AfterEach
  void stop() {
    server.close();
  }
}

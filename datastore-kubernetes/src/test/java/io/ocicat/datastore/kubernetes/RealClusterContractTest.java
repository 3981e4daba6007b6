package io.ocicat.datastore.kubernetes;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.contract.DatastoreContract;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.resource.Kind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The contract with a real API server and the older group. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@EnabledIfEnvironmentVariable(
    named = RealCluster.VARIABLE,
    matches = ".+",
    disabledReason = "it names no cluster: these tests are for one without Calico")
class RealClusterContractTest extends DatastoreContract {
  private @Nullable RealCluster cluster;

  ApiGroup group() {
    return ApiGroup.V1;
  }

  @BeforeAll
  final void install() {
    cluster = new RealCluster(group());
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
    if (cluster != null) {
      cluster.prepare();
    }
  }

  @Override
  protected Datastore open() {
    return Opening.open(RealCluster.config(group()));
  }

  /** It is not ours to stop. */
  @Override
  protected void restart() {}

  @AfterAll
  final void remove() {
    if (cluster != null) {
      cluster.close();
    }
  }
}

package io.ocicat.datastore.kubernetes;

import io.ocicat.datastore.model.ApiGroup;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The contract with a real API server and the newer group. */
@EnabledIfEnvironmentVariable(
    named = RealCluster.VARIABLE,
    matches = ".+",
    disabledReason = "it names no cluster: these tests are for one without Calico")
class RealClusterV3ContractTest extends RealClusterContractTest {
  @Override
  ApiGroup group() {
    return ApiGroup.V3;
  }
}

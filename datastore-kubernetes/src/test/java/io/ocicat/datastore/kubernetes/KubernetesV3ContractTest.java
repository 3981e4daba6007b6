package io.ocicat.datastore.kubernetes;

import io.ocicat.datastore.model.ApiGroup;

/** The contract with the newer group, also discovered. */
class KubernetesV3ContractTest extends KubernetesDatastoreContractTest {
  @Override
  ApiGroup group() {
    return ApiGroup.V3;
  }
}

package io.ocicat.datastore.kubernetes;

import io.ocicat.datastore.model.ApiGroup;

/** The contract with the newer group, which is found out as well. */
class KubernetesV3ContractTest extends KubernetesDatastoreContractTest {
  @Override
  ApiGroup group() {
    return ApiGroup.V3;
  }
}

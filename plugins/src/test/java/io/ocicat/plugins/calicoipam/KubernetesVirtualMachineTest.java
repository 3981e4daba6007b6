package io.ocicat.plugins.calicoipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.kubernetes.TestCluster;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** With everything in the API. */
class KubernetesVirtualMachineTest extends VirtualMachineContract {
  @Override
  Cluster open(TestCluster server, Path directory) {
    return Cluster.kubernetes(server, directory);
  }

  @Test
  void whatCannotBeReadNeverEndsInAnotherAddress() {
    started(FIRST);
    ObjectNode block = StoredJson.parseObject("{\"spec\":{\"cidr\":7}}");
    server().put("ipamblocks.crd.projectcalico.org", "10-65-0-0-26", block);

    assertThat(pod(FIRST).add().error().msg())
        .contains("failed to look up the addresses of virtual machine shop/vm", "cannot be read");
    assertThat(cluster().handles()).containsExactly(HANDLE);
  }

  @Test
  void aPodThatIsNotCalledSoCostsNothingMore() {
    cluster().net("").with("CNI_ARGS", "K8S_POD_NAMESPACE=shop;K8S_POD_NAME=cart-0").add().ok();

    assertThat(server().asked()).noneMatch(List.of("get pods", "get ipamconfigurations")::contains);
  }
}

package io.ocicat.plugins.calicoipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.kubernetes.TestCluster;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** With addresses on this machine, where block and handle are one write. */
class EmbeddedVirtualMachineTest extends VirtualMachineContract {
  @Override
  Cluster open(TestCluster server, Path directory) {
    return Cluster.embedded(server, directory);
  }

  @Test
  void withoutAnApiEveryPodIsOneLikeOthers() {
    Cluster alone = Cluster.embedded(files.resolve("alone"));
    alone.reset();
    alone.pool("blue", "10.65.0.0/26");

    alone
        .net("")
        .container("c1")
        .with("CNI_ARGS", "K8S_POD_NAMESPACE=shop;K8S_POD_NAME=" + FIRST)
        .add()
        .ok();

    assertThat(alone.handles()).containsExactly("net1.c1");
    alone.close();
  }
}

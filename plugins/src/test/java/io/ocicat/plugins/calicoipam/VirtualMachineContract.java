package io.ocicat.plugins.calicoipam;

import io.ocicat.datastore.kubernetes.TestCluster;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.plugins.Kubevirt;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** KubeVirt's machines keep their addresses, whatever pod runs them. */
abstract class VirtualMachineContract
    implements MachineStartScenarios,
        MachineAddressScenarios,
        MachineMoveScenarios,
        MachineEndScenarios {
  @TempDir Path files;

  @SuppressWarnings("NullAway.Init") // by reset
  private TestCluster server;

  @SuppressWarnings("NullAway.Init") // by reset
  private Cluster cluster;

  @SuppressWarnings("NullAway.Init") // by reset
  private Kubevirt kubevirt;

  /** Where addresses are; pods are always in the API. */
  abstract Cluster open(TestCluster server, Path directory);

  @Override
  public final TestCluster server() {
    return server;
  }

  @Override
  public final Cluster cluster() {
    return cluster;
  }

  @Override
  public final Kubevirt kubevirt() {
    return kubevirt;
  }

  @BeforeEach
  void reset() {
    server = new TestCluster(ApiGroup.V1);
    server.namespace("shop", Map.of());
    kubevirt = Kubevirt.install(server, "shop");
    cluster = open(server, files);
    cluster.reset();
    cluster.pool("blue", "10.65.0.0/26");
    kubevirt.start("vm");
  }

  @AfterEach
  void close() {
    cluster.close();
    server.close();
  }
}

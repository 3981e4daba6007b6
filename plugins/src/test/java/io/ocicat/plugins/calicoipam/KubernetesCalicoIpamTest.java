package io.ocicat.plugins.calicoipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.kubernetes.TestCluster;
import io.ocicat.datastore.model.ApiGroup;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** On the Kubernetes API, which writes each resource separately. */
class KubernetesCalicoIpamTest extends CalicoIpamContract implements SharedDatastoreScenarios {
  @TempDir Path files;

  @SuppressWarnings("NullAway.Init") // by reset
  private TestCluster server;

  @SuppressWarnings("NullAway.Init") // by reset
  private Cluster cluster;

  @Override
  public Cluster cluster() {
    return cluster;
  }

  @BeforeEach
  @Override
  void reset() {
    server = new TestCluster(ApiGroup.V1);
    cluster = Cluster.kubernetes(server, files);
    server.put("namespaces", "shop", Json.object());
    super.reset();
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  @Test
  @Override
  void aRecordThatCannotBeReadIsNamedAndNothingStays() {
    cluster.pool("blue", "10.65.0.0/26");
    cluster.net("").container("a").add().ok();
    ObjectNode block = StoredJson.parseObject("{\"spec\":{\"cidr\":7}}");
    server.put("ipamblocks.crd.projectcalico.org", "10-65-0-0-26", block);

    CniException error = cluster.net("").container("b").add().error();

    assertThat(error.msg()).contains("IPAMBlock 10-65-0-0-26", "cannot be read");
    assertThat(cluster.handles()).doesNotContain("net1.b");
  }
}

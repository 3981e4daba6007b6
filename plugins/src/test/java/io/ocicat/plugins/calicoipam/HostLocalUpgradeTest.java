package io.ocicat.plugins.calicoipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniJson;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ipam.model.AddressInfo;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

class HostLocalUpgradeTest {
  private static final ResourceKey.Named READY =
      new ResourceKey.Named(Kind.CLUSTER_INFORMATION, "", "default");

  @TempDir Path files;

  @SuppressWarnings("NullAway.Init") // by fill
  private Cluster cluster;

  @SuppressWarnings("NullAway.Init") // by fill
  private Path leases;

  @SuppressWarnings("NullAway.Init") // by fill
  private Path executable;

  @BeforeEach
  void fill() throws IOException {
    cluster = Cluster.embedded(files);
    cluster.reset();
    cluster.pool("blue", "10.65.0.0/24");
    cluster.datastore().create(Resource.of(READY, spec -> spec.put("datastoreReady", true)));
    leases = Files.createDirectories(files.resolve("networks/k8s-pod-network"));
    executable = Files.writeString(files.resolve("host-local"), "x");
    endpoint("cart", "10.65.0.7/32", Cluster.NODE);
    endpoint("elsewhere", "10.65.0.8/32", "node-2");
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private void endpoint(String pod, String address, String node) {
    String text =
        """
        {"apiVersion":"projectcalico.org/v3","kind":"WorkloadEndpoint",
         "metadata":{"name":"%s-k8s-%s-eth0","namespace":"shop"},
         "spec":{"orchestrator":"k8s","node":"%s","pod":"%s","endpoint":"eth0",
                 "ipNetworks":["%s"],"interfaceName":"cali%s","profiles":["kns.shop"]}}
        """
            .formatted(node.replace("-", "--"), pod, node, pod, address, pod);
    cluster.datastore().create(Resource.ofDocument((ObjectNode) CniJson.parse(text)));
  }

  private PluginReply run(String... flags) {
    try (Datastores datastores = new Datastores()) {
      return new CalicoIpamOptions(
              datastores,
              Map.of(
                  "DATASTORE_TYPE",
                  "embedded",
                  "OCICAT_STATE_DIR",
                  files.resolve("state").toString(),
                  "KUBERNETES_NODE_NAME",
                  Cluster.NODE),
              new HostLocalUpgrade.Places(leases, List.of(executable), Duration.ZERO))
          .run(List.of(flags), "1.2.3", InputStream.nullInputStream());
    }
  }

  @Test
  void leasesOfPodsBecomeAddressesOfCalicoAndTheOthersGo() throws IOException {
    Files.writeString(leases.resolve("10.65.0.7"), "c1\r\neth0");
    Files.writeString(leases.resolve("10.65.0.9"), "c9\r\neth0");
    Files.writeString(leases.resolve("last_reserved_ip.0"), "10.65.0.9");
    Files.writeString(leases.resolve("lock"), "");

    PluginReply reply = run("-upgrade");

    assertThat(reply.exitCode()).as(reply.stderr()).isZero();
    AddressInfo info = cluster.assigned().getFirst();
    assertThat(cluster.addresses()).containsExactly("10.65.0.7");
    assertThat(info.handle()).isEqualTo("k8s-pod-network.c1");
    assertThat(info.owner())
        .isEqualTo(Map.of("node", Cluster.NODE, "namespace", "shop", "pod", "cart"));
    assertThat(leases).doesNotExist();
    assertThat(executable).doesNotExist();
    assertThat(ready()).isTrue();
    assertThat(run("-upgrade").stderr()).startsWith("0 addresses");
  }

  /** Killed after the address was recorded, before the lease was removed. */
  @Test
  void whatWasInterruptedIsFinished() throws IOException {
    Files.writeString(leases.resolve("10.65.0.7"), "c1");
    run("-upgrade");
    Files.createDirectories(leases);
    Files.writeString(leases.resolve("10.65.0.7"), "c1");
    cluster
        .datastore()
        .update(
            cluster
                .datastore()
                .get(READY)
                .edit(tree -> tree.withObject("/spec").put("datastoreReady", false)));

    assertThat(run("-upgrade").exitCode()).isZero();

    assertThat(cluster.addresses()).containsExactly("10.65.0.7");
    assertThat(ready()).isTrue();
  }

  private boolean ready() {
    return cluster
        .datastore()
        .get(READY)
        .<Boolean>read(content -> content.at("/spec/datastoreReady").asBoolean());
  }

  @Test
  void withoutLeasesNothingIsTouched() throws IOException {
    assertThat(run("-upgrade").exitCode()).isZero();
    assertThat(leases).doesNotExist();
    assertThat(executable).exists();
  }

  @Test
  void otherFlagsAreExplained() {
    assertThat(new String(run("-v").stdout(), java.nio.charset.StandardCharsets.UTF_8))
        .isEqualTo("1.2.3\n");
    assertThat(run("-x").exitCode()).isEqualTo(2);
    assertThat(run("-x").stderr()).contains("-upgrade");
  }
}

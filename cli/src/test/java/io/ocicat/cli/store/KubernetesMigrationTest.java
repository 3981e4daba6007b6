package io.ocicat.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.DatastoreShell;
import io.ocicat.cli.Shell.Printed;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.embedded.EmbeddedStore;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.kubernetes.TestCluster;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpPrefix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * migrate and import with a cluster that has what every cluster has: namespaces, service accounts
 * and a node of its own, uids and times that the API server sets (review C9).
 */
class KubernetesMigrationTest {
  private static final String DOCUMENTS =
      """
      {apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {name: blue}, spec: {cidr: 10.65.0.0/16, blockSize: 30}}
      ---
      {apiVersion: projectcalico.org/v3, kind: NetworkPolicy, metadata: {name: web, namespace: default}, spec: {order: 5}}
      ---
      {apiVersion: projectcalico.org/v3, kind: Node, metadata: {name: node-1}, spec: {bgp: {asNumber: 64513}}}
      """;

  @TempDir Path directory;
  private TestCluster cluster = new TestCluster(ApiGroup.V1);
  private DatastoreShell source = DatastoreShell.embedded(Path.of("/nonexistent"));

  @BeforeEach
  void fill() {
    cluster.populate("node-1");
    source = DatastoreShell.embedded(directory.resolve("source"));
    assertThat(source.runWith(DOCUMENTS, "apply", "-f", "-").err()).isEmpty();
    try (Datastore datastore = open("source")) {
      IpPrefix cidr = IpPrefix.parse("10.65.0.0/30");
      datastore.create(
          Resource.of(
              new ResourceKey.Block(cidr),
              StoredJson.parseObject(
                  "{\"cidr\":\"10.65.0.0/30\",\"affinity\":\"host:node-1\",\"allocations\":[0,null,null,null],"
                      + "\"unallocated\":[1,2,3],\"attributes\":[{\"handle_id\":\"net.c1\",\"secondary\":{}}],"
                      + "\"sequenceNumber\":1767225600000000004,\"deleted\":false}")));
      datastore.create(
          Resource.of(
              new ResourceKey.Handle("net.c1"),
              StoredJson.parseObject("{\"block\":{\"10.65.0.0/30\":1},\"deleted\":false}")));
    }
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private Datastore open(String name) {
    return EmbeddedStore.openDatastore(directory.resolve(name));
  }

  private String config() throws IOException {
    Path file = directory.resolve("kubernetes.cfg");
    Files.writeString(
        file,
        """
        apiVersion: projectcalico.org/v3
        kind: CalicoAPIConfig
        metadata:
        spec:
          datastoreType: kubernetes
          k8sAPIEndpoint: %s
        """
            .formatted(cluster.url()));
    return file.toString();
  }

  private static boolean isReady(Datastore datastore) {
    return ReadyFlag.isReady(datastore);
  }

  @ParameterizedTest
  @EnumSource(ApiGroup.class)
  void migratesToAFreshCluster(ApiGroup group) throws IOException {
    cluster.close();
    cluster = new TestCluster(group).populate("node-1");
    cluster.giveDefault("ippools." + group.group(), "assignmentMode", "Automatic");
    cluster.giveDefault("networkpolicies." + group.group(), "tier", "default");

    Printed printed = source.run("datastore", "migrate", "--to", config());

    assertThat(printed.out()).contains("all are the same").contains("The target is ready");
    assertThat(printed.exitCode()).isZero();
    try (Datastore there = cluster.open();
        Datastore here = open("source")) {
      assertThat(isReady(there)).isTrue();
      assertThat(isReady(here)).isFalse();
      assertThat(there.list(ResourceQuery.of(Kind.NETWORK_POLICY)).items()).hasSize(1);
      assertThat(there.get(new ResourceKey.Handle("net.c1"))).isNotNull();
    }
  }

  /** As calicoctl does with a real API server, where nobody but a kubelet creates nodes. */
  @Test
  void aNodeThatIsThereIsAppliedAndOneThatIsNotIsNotCreated() throws IOException {
    String node =
        "{apiVersion: projectcalico.org/v3, kind: Node, metadata: {name: %s}, spec: {bgp: {ipv4Address: 192.0.2.7/24}}}";

    Printed applied =
        source.runWith(node.formatted("node-1"), "apply", "-f", "-", "--config", config());

    assertThat(applied.err()).isEmpty();
    assertThat(applied.out()).isEqualTo("Successfully applied 1 'Node' resource(s)\n");
    try (Datastore there = cluster.open()) {
      assertThat(there.get(ResourceKey.of(Kind.NODE, "node-1")).text("spec", "bgp", "ipv4Address"))
          .contains("192.0.2.7/24");
    }
    assertThat(
            source
                .runWith(node.formatted("node-9"), "apply", "-f", "-", "--config", config())
                .err())
        .contains("Node node-9 cannot be created: it appears when its machine joins the cluster");
  }

  @Test
  void migratesBackWithTheAsNumbersOfItsNodes() throws IOException {
    assertThat(source.run("datastore", "migrate", "--to", config()).exitCode()).isZero();

    Printed printed =
        source.run(
            "datastore",
            "migrate",
            "--from",
            config(),
            "--to",
            "embedded:" + directory.resolve("back"));

    assertThat(printed.err()).isEmpty();
    assertThat(printed.exitCode()).isZero();
    try (Datastore back = open("back")) {
      assertThat(
              back.get(ResourceKey.of(Kind.NODE, "node-1"))
                  .<Integer>read(node -> node.at("/spec/bgp/asNumber").asInt()))
          .isEqualTo(64512);
    }
  }

  @Test
  void importsTheClustersOwnExport() throws IOException {
    assertThat(source.run("datastore", "migrate", "--to", config()).exitCode()).isZero();
    Printed exported = source.run("datastore", "export", "--config", config());

    Printed printed =
        source.runWith(
            exported.out(), "datastore", "import", "--merge", "-f", "-", "--config", config());

    assertThat(printed.exitCode()).as(printed.err()).isZero();
    assertThat(printed.out()).contains("imported 0 resources");
  }

  @Test
  void aNamespaceThatTheClusterLacksIsNamedBeforeAnythingIsCopied() throws IOException {
    assertThat(
            source
                .runWith(
                    "{apiVersion: projectcalico.org/v3, kind: NetworkSet, metadata: {name: n, namespace: shop}, spec: {nets: [10.0.0.0/8]}}",
                    "apply",
                    "-f",
                    "-")
                .err())
        .isEmpty();

    Printed printed = source.run("datastore", "migrate", "--to", config());

    assertThat(printed.exitCode()).isOne();
    assertThat(printed.err()).contains("namespace shop").contains("nothing was copied");
    try (Datastore here = open("source");
        Datastore there = cluster.open()) {
      assertThat(isReady(here)).isTrue();
      assertThat(there.list(ResourceQuery.of(Kind.IP_POOL)).items()).isEmpty();
    }
  }

  /**
   * The source continues to serve its nodes; the same command starts again with what it has then.
   */
  @Test
  void aFailureInTheMiddleUnlocksTheSourceAndTheSameCommandFinishes() throws IOException {
    cluster.deny("create", "ipamhandles.crd.projectcalico.org");

    Printed failed = source.run("datastore", "migrate", "--to", config());

    assertThat(failed.exitCode()).isOne();
    assertThat(failed.err())
        .contains("the source is unlocked again")
        .contains("the target stays locked");
    try (Datastore here = open("source");
        Datastore there = cluster.open()) {
      assertThat(isReady(here)).isTrue();
      assertThat(isReady(there)).isFalse();
      // Other changes happen in the meantime.
      Resource pool = here.get(ResourceKey.of(Kind.IP_POOL, "blue"));
      here.update(pool.edit(tree -> tree.withObject("/spec").put("natOutgoing", true)));
      here.delete(ResourceKey.of(Kind.NETWORK_POLICY, "default", "web"), null);
    }
    cluster.allow("create", "ipamhandles.crd.projectcalico.org");

    Printed again = source.run("datastore", "migrate", "--to", config());

    assertThat(again.exitCode()).as(again.err()).isZero();
    try (Datastore there = cluster.open()) {
      assertThat(isReady(there)).isTrue();
      assertThat(
              there
                  .get(ResourceKey.of(Kind.IP_POOL, "blue"))
                  .<Boolean>read(it -> it.at("/spec/natOutgoing").asBoolean()))
          .isTrue();
      assertThat(there.list(ResourceQuery.of(Kind.NETWORK_POLICY)).items()).isEmpty();
    }
  }

  /** A cluster that served pods before continues to, whatever the outcome of the merge. */
  @Test
  void aFailedMergeLeavesAClusterThatWasReadyReady() throws IOException {
    try (Datastore there = cluster.open()) {
      ReadyFlag.set(there, true);
    }
    cluster.deny("create", "ipamhandles.crd.projectcalico.org");

    Printed failed = source.run("datastore", "migrate", "--merge", "--to", config());

    assertThat(failed.exitCode()).isOne();
    assertThat(failed.err()).contains("both datastores are unlocked again");
    try (Datastore here = open("source");
        Datastore there = cluster.open()) {
      assertThat(isReady(here)).isTrue();
      assertThat(isReady(there)).isTrue();
    }
  }
}

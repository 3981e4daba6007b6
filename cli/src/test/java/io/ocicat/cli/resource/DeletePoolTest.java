package io.ocicat.cli.resource;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.DatastoreShell;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.embedded.EmbeddedStore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.AutoAssignRequest;
import io.ocicat.ipam.model.ClockAndRandom;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Review C12: deleting a pool releases its blocks. */
class DeletePoolTest {
  private static final String POOL =
      "{apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {name: blue}, spec: {cidr: 10.65.0.0/16, blockSize: %d}}";
  private static final String NODE =
      "{apiVersion: projectcalico.org/v3, kind: Node, metadata: {name: node-1}}";

  @TempDir Path directory;
  private DatastoreShell shell = DatastoreShell.embedded(Path.of("/nonexistent"));

  @BeforeEach
  void fill() {
    shell = DatastoreShell.embedded(directory);
    assertThat(shell.runWith(POOL.formatted(26) + "\n---\n" + NODE, "apply", "-f", "-").err())
        .isEmpty();
  }

  private void withIpam(java.util.function.Consumer<Ipam> work) {
    try (Datastore datastore = EmbeddedStore.openDatastore(directory);
        Ipam ipam = Ipam.forOneCall(datastore, ClockAndRandom.ofSystem())) {
      work.accept(ipam);
    }
  }

  private static AutoAssignRequest request() {
    return AutoAssignRequest.on("node-1")
        .withCounts(1, 0)
        .withHandle("net.c1", Map.of("node", "node-1"));
  }

  @Test
  void itCanBeMadeAgainWithOtherBlocks() {
    withIpam(
        ipam -> {
          ipam.autoAssign(request());
          ipam.releaseByHandle("net.c1");
        });

    assertThat(shell.run("delete", "ippool", "blue").err()).isEmpty();

    try (Datastore datastore = EmbeddedStore.openDatastore(directory)) {
      assertThat(datastore.list(ResourceQuery.of(Kind.BLOCK_AFFINITY)).items()).isEmpty();
      assertThat(datastore.list(ResourceQuery.of(Kind.IPAM_BLOCK)).items()).isEmpty();
    }
    assertThat(shell.runWith(POOL.formatted(28), "apply", "-f", "-").err()).isEmpty();
  }

  @Test
  void addressesInUseStayAndTheirBlocksHaveNoAffinity() {
    withIpam(ipam -> ipam.autoAssign(request()));

    assertThat(shell.run("delete", "ippool", "blue").exitCode()).isZero();

    try (Datastore datastore = EmbeddedStore.openDatastore(directory)) {
      assertThat(datastore.list(ResourceQuery.of(Kind.BLOCK_AFFINITY)).items()).isEmpty();
      assertThat(datastore.list(ResourceQuery.of(Kind.IPAM_BLOCK)).items()).hasSize(1);
    }
    withIpam(ipam -> assertThat(ipam.addressesOf("net.c1")).hasSize(1));
  }
}

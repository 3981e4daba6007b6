package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.gc.ClusterLiveness;
import io.ocicat.ipam.gc.GarbageCollector;
import io.ocicat.ipam.gc.VirtualMachines;
import io.ocicat.ipam.model.AssignRequest;
import io.ocicat.ipam.model.AutoAssignResult;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.IpamException;
import io.ocicat.ipam.model.ReleaseRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/** Released addresses are kept back for a while (review K2). */
abstract class CooldownScenarios extends IpamFixture {

  @BeforeEach
  void makePool() {
    pool("v4", "10.0.0.0/30", 30);
    coolFor(20);
  }

  /** As {@code calicoctl ipam configure --ip-cooldown-seconds} stores it. */
  private void coolFor(int seconds) {
    ResourceKey key = new ResourceKey.IpamConfig();
    boolean there = new IpamRecords(datastore()).find(key).isPresent();
    if (there) {
      Resource stored = datastore().get(key);
      datastore().update(stored.edit(json -> json.put("ipCooldownSeconds", seconds)));
    } else {
      datastore()
          .create(
              Resource.of(
                  key,
                  Json.object()
                      .put("auto_allocate_blocks", true)
                      .put("ipCooldownSeconds", seconds)));
    }
  }

  private JsonNode onlyBlock() {
    List<Resource> blocks = datastore().list(ResourceQuery.of(Kind.IPAM_BLOCK)).items();
    assertThat(blocks).hasSize(1);
    return blocks.getFirst().read(json -> json.deepCopy());
  }

  private String allocations() {
    JsonNode block = onlyBlock();
    return block.path("allocations") + " " + block.path("attributes");
  }

  /** What Calico leaves of an address that it has released. */
  private void releaseAsCalicoDoes(Instant when) {
    Resource block = datastore().list(ResourceQuery.of(Kind.IPAM_BLOCK)).items().getFirst();
    datastore()
        .update(
            block.replace(
                json -> {
                  ArrayNode attributes = (ArrayNode) json.path("attributes");
                  attributes.removeAll();
                  attributes.addObject().put("releasedAt", when.toString());
                }));
    datastore()
        .list(ResourceQuery.of(Kind.IPAM_HANDLE))
        .items()
        .forEach(handle -> datastore().delete(handle));
  }

  private int assigned(int count) {
    return newIpam().autoAssign(on(A, count, 0)).addresses().size();
  }

  @Test
  void aReleasedAddressIsMarkedAsCalicoMarksIt() {
    IpAddress address = take(A, 1, "h").getFirst();
    take(A, 1, "other");
    long number = onlyBlock().path("sequenceNumber").asLong();

    newIpam().releaseByHandle("h");

    JsonNode block = onlyBlock();
    assertThat(block.path("allocations").toString()).isEqualTo("[1,0,null,null]");
    assertThat(block.path("unallocated").toString()).isEqualTo("[2,3]");
    assertThat(block.path("attributes").path(1).propertyNames()).containsExactly("releasedAt");
    assertThat(block.path("attributes").path(1).path("releasedAt").asString())
        .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
    assertThat(block.path("sequenceNumberForAllocation").has("0")).isTrue();
    assertThat(block.path("sequenceNumber").asLong()).isEqualTo(number + 1);
    assertThat(handles()).containsExactly("other");
    assertThat(refusal(() -> newIpam().info(address))).isEqualTo(IpamException.Reason.NOT_ASSIGNED);
    assertThat(newIpam().release(List.of(ReleaseRequest.of(address))).notAssigned())
        .as("released once")
        .containsExactly(address);
    assertThat(newIpam().check().run(Set.of(ip("10.0.0.1"))).findings()).as("not leaked").isEmpty();
  }

  @Test
  void oneOfSeveralGetsTheBlocksNumberAsWithCalico() {
    take(A, 1, "first");
    IpAddress address = take(A, 1, "h").getFirst();
    long number = onlyBlock().path("sequenceNumber").asLong();

    newIpam().release(List.of(ReleaseRequest.of(address))).orThrow();

    assertThat(onlyBlock().path("sequenceNumberForAllocation").path("1").asLong())
        .isEqualTo(number);
    assertThat(onlyBlock().path("allocations").toString()).isEqualTo("[0,1,null,null]");
  }

  @Test
  void itIsAssignedAgainWhenTheCooldownIsOverAndNotBefore() {
    take(A, 4, "all");
    newIpam().releaseByHandle("all");

    assertThat(assigned(1)).isZero();
    letPass(Duration.ofSeconds(15));
    assertThat(assigned(1)).isZero();
    letPass(Duration.ofSeconds(6));
    assertThat(assigned(4)).isEqualTo(4);
    assertThat(onlyBlock().path("attributes").size()).as("no mark is left").isEqualTo(1);
  }

  @Test
  void addressesReleasedByCalicoAreAssignedAgainToo() {
    take(A, 4, "all");
    releaseAsCalicoDoes(Instant.now().minusSeconds(10));

    assertThat(assigned(1)).isZero();
    letPass(Duration.ofSeconds(12));
    assertThat(assigned(2)).isEqualTo(2);
    assertThat(onlyBlock().path("unallocated").toString()).isEqualTo("[2,3]");
  }

  @Test
  void aResidentProcessAssignsItAgainAsWell() {
    try (Ipam resident = resident()) {
      AutoAssignResult all = resident.autoAssign(on(A, 4, 0).withHandle("all", Map.of("node", A)));
      assertThat(all.isComplete()).isTrue();
      resident.releaseByHandle("all");

      assertThat(resident.autoAssign(on(A, 1, 0)).addresses()).isEmpty();
      letPass(Duration.ofSeconds(21));
      assertThat(resident.autoAssign(on(A, 4, 0)).addresses()).hasSize(4);
    }
  }

  @Test
  void aCertainAddressIsRefusedWhileItCoolsDown() {
    IpAddress address = take(A, 1, "h").getFirst();
    newIpam().releaseByHandle("h");
    AssignRequest request = new AssignRequest(address, A, "again", Map.of("node", A));
    String before = allocations();

    assertThat(refusal(() -> newIpam().assign(request)))
        .isEqualTo(IpamException.Reason.ADDRESS_TAKEN);
    assertThat(allocations()).as("as it was").isEqualTo(before);
    assertThat(handles()).isEmpty();

    letPass(Duration.ofSeconds(21));
    newIpam().assign(request);
    assertThat(newIpam().info(address).handle()).isEqualTo("again");
  }

  @Test
  void aBlockWithOnlyCoolingAddressesIsKept() {
    take(A, 1, "h");
    newIpam().releaseByHandle("h");

    assertThat(
            refusal(() -> newIpam().releaseAffinity(cidr("10.0.0.0/30"), BlockOwner.host(A), true)))
        .isEqualTo(IpamException.Reason.BLOCK_NOT_EMPTY);
    newIpam().releaseAffinity(cidr("10.0.0.0/30"), BlockOwner.host(A), false);
    assertThat(onlyBlock().path("attributes").path(0).has("releasedAt")).isTrue();

    letPass(Duration.ofSeconds(21));
    take(B, 1, "borrowed");
    newIpam().releaseByHandle("borrowed");
    letPass(Duration.ofSeconds(21));
    assertThat(newIpam().release(List.of(ReleaseRequest.of(ip("10.0.0.3")))).notAssigned())
        .hasSize(1);
    collect();
    assertThat(blocks()).as("nobody's, nobody uses it, and all is over").isEmpty();
  }

  @Test
  void whenItIsTurnedOffWhatCoolsIsFree() {
    take(A, 4, "all");
    newIpam().releaseByHandle("all");
    coolFor(0);

    assertThat(assigned(4)).isEqualTo(4);
    assertThat(newIpam().utilisation(List.of()).getFirst().blocks().getFirst().available())
        .isZero();
  }

  @Test
  void whatCoolsIsNeitherFreeNorAssigned() {
    take(A, 3, "h");
    newIpam().releaseByHandle("h");

    assertThat(newIpam().utilisation(List.of()).getFirst().blocks().getFirst().available())
        .isEqualTo(1);
    assertThat(newIpam().check().run(Set.of()).assigned()).isEmpty();
    letPass(Duration.ofSeconds(21));
    assertThat(newIpam().utilisation(List.of()).getFirst().blocks().getFirst().available())
        .isEqualTo(4);
  }

  @Test
  void theCollectorFreesCooledDownAddressesInIdleBlocks() {
    take(A, 2, "h");
    newIpam().releaseByHandle("h");

    collect();
    assertThat(onlyBlock().path("unallocated").toString()).isEqualTo("[2,3]");
    letPass(Duration.ofSeconds(21));
    collect();
    assertThat(onlyBlock().path("unallocated").toString()).isEqualTo("[2,3,0,1]");
    assertThat(onlyBlock().path("attributes").size()).isZero();
  }

  private void collect() {
    new GarbageCollector(newIpam(), datastore(), sources(), VirtualMachines.UNKNOWN, Duration.ZERO)
        .collect(new ClusterLiveness(Set.of(A, B), Set.of()));
  }
}

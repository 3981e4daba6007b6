package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.model.AssignRequest;
import io.ocicat.ipam.model.AutoAssignRequest;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.ipam.model.ReleaseRequest;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Stored records are those of the contract, member by member. */
class IpamRecordsTest {
  private static final Instant NEW_YEAR = Instant.parse("2026-01-01T00:00:00Z");

  private final MemoryStore store = new MemoryStore();
  private final Datastore datastore = new KeyValueDatastore(store);
  private final Ipam ipam =
      Ipam.forOneCall(
          datastore,
          new ClockAndRandom(Clock.fixed(NEW_YEAR, ZoneOffset.UTC), System::nanoTime, () -> 0));

  private String value(String key) {
    return store.get(key).orElseThrow().value();
  }

  /** The contract's example: three assigned, the second released again. */
  @Test
  void aBlockAfterThreeWereAssignedAndOneReleased() {
    datastore.create(
        Resource.of(
            new ResourceKey.Named(Kind.IP_POOL, "", "blue"),
            spec -> spec.put("cidr", "10.65.0.0/30").put("blockSize", 30)));
    datastore.create(Resource.of(new ResourceKey.Named(Kind.NODE, "", "node-1"), _ -> {}));
    AutoAssignRequest one = AutoAssignRequest.on("node-1").withCounts(1, 0);
    ipam.autoAssign(
        one.withHandle(
            CalicoConventions.containerHandle("k8s-pod-network", "aa11"),
            CalicoConventions.containerAttributes(
                "node-1", NEW_YEAR.plusMillis(1500), "shop", "cart-0")));
    ipam.autoAssign(one.withHandle("k8s-pod-network.bb22", Map.of()));
    CalicoConventions.Tunnel vxlan = CalicoConventions.Tunnel.VXLAN;
    ipam.autoAssign(one.withHandle(vxlan.handle("node-1"), vxlan.attributes("node-1")));
    ipam.release(List.of(ReleaseRequest.of(IpAddress.parse("10.65.0.1")))).orThrow();

    assertThat(StoredJson.parseObject(value("/calico/ipam/v2/assignment/ipv4/block/10.65.0.0-30")))
        .isEqualTo(
            StoredJson.parseObject(
                """
                {"cidr":"10.65.0.0/30","affinity":"host:node-1","affinity_claim_time":"2026-01-01T00:00:00Z",
                 "allocations":[0,null,1,null],"unallocated":[3,1],
                 "attributes":[
                  {"handle_id":"k8s-pod-network.aa11","secondary":{"namespace":"shop","node":"node-1","pod":"cart-0",
                     "timestamp":"2026-01-01 00:00:01.5 +0000 UTC"}},
                  {"handle_id":"vxlan-tunnel-addr-node-1","secondary":{"node":"node-1","type":"vxlanTunnelAddress"}}],
                 "sequenceNumber":1767225600000000004,
                 "sequenceNumberForAllocation":{"0":1767225600000000000,"2":1767225600000000002},"deleted":false}\
                """));
    assertThat(value("/calico/ipam/v2/host/node-1/ipv4/block/10.65.0.0-30"))
        .isEqualTo("{\"state\":\"confirmed\",\"deleted\":false}");
    assertThat(value("/calico/ipam/v2/handle/k8s-pod-network.aa11"))
        .isEqualTo("{\"block\":{\"10.65.0.0/30\":1},\"deleted\":false}");
    assertThat(store.get("/calico/ipam/v2/handle/k8s-pod-network.bb22")).isEmpty();
    assertThat(store.get("/calico/ipam/v2/config")).as("reading settings writes none").isEmpty();
  }

  @Test
  void unknownMembersSurvive() {
    datastore.create(
        Resource.of(
            new ResourceKey.Named(Kind.IP_POOL, "", "blue"),
            spec -> spec.put("cidr", "10.65.0.0/30").put("blockSize", 30)));
    IpPrefix cidr = IpPrefix.parse("10.65.0.0/30");
    ipam.claimAffinity(cidr, BlockOwner.host("node-1"));
    Resource block = datastore.get(new ResourceKey.Block(cidr));
    datastore.update(
        block.edit(
            json -> {
              json.put("fromTheFuture", "kept");
              json.putArray("allocations").add(0).addNull().addNull().addNull();
              json.putArray("unallocated").add(1).add(2).add(3);
              json.putArray("attributes").addObject().put("alsoFromTheFuture", "kept");
            }));

    ipam.assign(
        new AssignRequest(IpAddress.parse("10.65.0.3"), "node-1", "h", Map.of("node", "node-1")));

    assertThat(value("/calico/ipam/v2/assignment/ipv4/block/10.65.0.0-30"))
        .contains("\"fromTheFuture\":\"kept\"")
        .contains("\"alsoFromTheFuture\":\"kept\"")
        .contains("\"allocations\":[0,null,null,1]");
    assertThat(ipam.addressesOf("h")).hasSize(1);
    ipam.releaseByHandle("h");
    assertThat(value("/calico/ipam/v2/assignment/ipv4/block/10.65.0.0-30"))
        .contains("\"alsoFromTheFuture\":\"kept\"");
  }

  @Test
  void handlesAndTimesAreWrittenAsCalicoWritesThem() {
    assertThat(CalicoConventions.timestamp(NEW_YEAR)).isEqualTo("2026-01-01 00:00:00 +0000 UTC");
    assertThat(CalicoConventions.timestamp(NEW_YEAR.plusNanos(120)))
        .isEqualTo("2026-01-01 00:00:00.00000012 +0000 UTC");
    assertThat(CalicoConventions.virtualMachineHandle("k8s-pod-network", "shop", "vm"))
        .isEqualTo("k8s-pod-network.vmi.shop.vm");
    assertThat(CalicoConventions.virtualMachineHandle("k8s-pod-network", "shop", "v".repeat(200)))
        .startsWith("k8s-pod-network.vmi._")
        .hasSize("k8s-pod-network.vmi._".length() + 43);
    assertThat(CalicoConventions.serviceHandle("Web", "shop", "u-1"))
        .startsWith("lb-")
        .isEqualTo(CalicoConventions.serviceHandle("web", "shop", "u-1"))
        .doesNotContain("_");
    assertThat(CalicoConventions.sanitize("net.c1\r\neth0")).isEqualTo("net.c1");
  }
}

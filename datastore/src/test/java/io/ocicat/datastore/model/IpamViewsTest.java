package io.ocicat.datastore.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Typed views of IPAM's records, and what is written from them. */
class IpamViewsTest {
  private static final IpPrefix CIDR = IpPrefix.parse("10.65.0.0/30");
  private static final String BLOCK =
      """
      {"cidr":"10.65.0.0/30","affinity":"host:node-1","affinity_claim_time":"2026-01-01T00:00:00Z",\
      "allocations":[0,null,1,null],"unallocated":[3,1],\
      "attributes":[{"handle_id":"net.aa11","secondary":{"node":"node-1","pod":"cart-0"}},\
      {"releasedAt":"2026-01-01T00:00:00Z","fromTheFuture":[1]}],\
      "sequenceNumber":1767225600000000004,\
      "sequenceNumberForAllocation":{"0":1767225600000000000,"2":1767225600000000002},"deleted":false,\
      "alsoNew":true}""";

  private static Resource block(String json) {
    return Resource.stored(new ResourceKey.Block(CIDR), StoredJson.parseObject(json), "7");
  }

  @Test
  void aBlockIsReadDigitByDigit() {
    IpamBlock block = IpamBlock.of(block(BLOCK));

    assertThat(block.affinity()).isEqualTo("host:node-1");
    assertThat(block.allocations()).containsExactly(0, IpamBlock.FREE, 1, IpamBlock.FREE);
    assertThat(block.unallocated()).containsExactly(3, 1);
    assertThat(block.sequenceNumber()).isEqualTo(1767225600000000004L);
    assertThat(block.allocatedAt()).containsEntry(2, 1767225600000000002L).hasSize(2);
    assertThat(block.attributes().get(0).owner()).containsEntry("pod", "cart-0");
    assertThat(block.attributes().get(0).isCoolingDown()).isFalse();
    assertThat(block.attributes().get(1).isCoolingDown()).isTrue();
  }

  @Test
  void aBlockWrittenAsItWasReadIsTheSameText() {
    Resource read = block(BLOCK);

    Resource written = IpamBlock.of(read).applyTo(read);

    assertThat(StoredJson.compact(Shapes.canonical(Kind.IPAM_BLOCK, written.content())))
        .isEqualTo(BLOCK);
    assertThat(written.revision()).isEqualTo("7");
  }

  @Test
  void aBlockOfGosNullsAndOldPythonIsAnEmptyOne() {
    IpamBlock block =
        IpamBlock.of(
            block(
                """
                {"cidr":"10.65.0.0/30","affinity":"","strict_affinity":false,"allocations":[null,null,null,null],
                 "unallocated":[0,1,2,3],"attributes":null,"sequenceNumberForAllocation":null}"""));

    assertThat(block.affinity()).isNull();
    assertThat(block.attributes()).isEmpty();
    assertThat(block.sequenceNumber()).isZero();
  }

  @Test
  void aNewBlockIsWrittenWhole() {
    IpamBlock block =
        new IpamBlock(
            CIDR,
            null,
            null,
            List.of(-1, -1, -1, -1),
            List.of(0, 1, 2, 3),
            List.of(),
            5,
            Map.of(),
            false);

    assertThat(StoredJson.compact(Shapes.canonical(Kind.IPAM_BLOCK, block.toResource().content())))
        .isEqualTo(
            "{\"cidr\":\"10.65.0.0/30\",\"affinity\":null,\"allocations\":[null,null,null,null],"
                + "\"unallocated\":[0,1,2,3],\"attributes\":[],\"sequenceNumber\":5,"
                + "\"sequenceNumberForAllocation\":{},\"deleted\":false}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"cidr\":\"10.65.0.0\"}",
        "{\"cidr\":\"10.65.0.0/30\",\"allocations\":[0],\"attributes\":[]}",
        "{\"cidr\":\"10.65.0.0/30\",\"allocations\":[\"x\"],\"attributes\":[]}",
        "{\"cidr\":\"10.65.0.0/30\",\"sequenceNumberForAllocation\":{\"x\":1}}",
      })
  void aBlockThatContradictsItselfIsReported(String json) {
    assertThatThrownBy(() -> IpamBlock.of(block(json)))
        .isInstanceOf(CorruptException.class)
        .hasMessageContaining("IPAMBlock 10.65.0.0/30");
  }

  @Test
  void handlesCountByBlock() {
    Resource read =
        Resource.stored(
            new ResourceKey.Handle("net.aa"),
            StoredJson.parseObject("{\"block\":{\"10.65.0.0/30\":2},\"deleted\":false,\"new\":1}"),
            "3");
    IpamHandle handle = IpamHandle.of(read);

    assertThat(handle).isEqualTo(new IpamHandle("net.aa", Map.of(CIDR, 2), false));
    assertThat(Json.compact(new IpamHandle("net.aa", Map.of(), false).applyTo(read).content()))
        .isEqualTo("{\"block\":{},\"deleted\":false,\"new\":1}");
  }

  @Test
  void affinitiesHaveStates() {
    ResourceKey.Affinity key = ResourceKey.Affinity.ofHost("node-1", CIDR);
    Resource pending = BlockAffinity.create(key, BlockAffinity.State.PENDING);

    assertThat(BlockAffinity.of(pending))
        .isEqualTo(new BlockAffinity(key, BlockAffinity.State.PENDING, false));
    assertThat(
            BlockAffinity.of(BlockAffinity.changed(pending, BlockAffinity.State.CONFIRMED)).state())
        .isEqualTo(BlockAffinity.State.CONFIRMED);
    assertThat(BlockAffinity.of(Resource.of(key, Json.object())).state())
        .isEqualTo(BlockAffinity.State.UNKNOWN);
  }

  @Test
  void whatIsAbsentInStoredSettingsIsFalse() {
    ResourceKey key = new ResourceKey.IpamConfig();

    assertThat(IpamConfig.of(Resource.of(key, Json.object())))
        .isEqualTo(new IpamConfig(false, false, 0, true));
    assertThat(IpamConfig.of(IpamConfig.DEFAULT.toResource())).isEqualTo(IpamConfig.DEFAULT);
    assertThat(
            StoredJson.compact(
                Shapes.canonical(Kind.IPAM_CONFIG, IpamConfig.DEFAULT.toResource().content())))
        .isEqualTo("{\"auto_allocate_blocks\":true}");
  }

  @Test
  void aReservationSkipsInvalidAddresses() {
    Resource resource =
        Resource.of(
            new ResourceKey.Named(Kind.IP_RESERVATION, "", "r"),
            spec ->
                spec.putArray("reservedCIDRs").add(" 10.0.0.1 ").add("").add("x").add("fd00::/64"));

    assertThat(IpReservation.of(resource).cidrs())
        .containsExactly(IpPrefix.parse("10.0.0.1/32"), IpPrefix.parse("fd00::/64"));
  }

  @Test
  void aPoolIsEnabledUnlessSomethingSpeaksAgainstIt() {
    Resource pool =
        Resource.of(
            new ResourceKey.Named(Kind.IP_POOL, "", "blue"),
            spec -> spec.put("cidr", "10.65.0.0/16").put("nodeSelector", "rack == 'r1'"));

    IpPool view = IpPool.of(pool);
    assertThat(view.enabled()).isTrue();
    assertThat(view.blockSize()).isEqualTo(26);
    assertThat(view.uses()).containsExactlyInAnyOrder(IpPool.Use.WORKLOAD, IpPool.Use.TUNNEL);
    assertThat(view.nodeSelector().matches(Map.of("rack", "r1"))).isTrue();
    assertThat(view.namespaceSelector().matches(Map.of())).isTrue();
    assertThat(IpPool.of(pool.edit(d -> d.withObject("/spec").put("disabled", true))).enabled())
        .isFalse();
    assertThat(
            IpPool.of(
                    pool.edit(
                        d ->
                            d.withObject("/status")
                                .putArray("conditions")
                                .addObject()
                                .put("type", "Allocatable")
                                .put("status", "False")))
                .enabled())
        .isFalse();
    assertThatThrownBy(
            () -> IpPool.of(pool.edit(d -> d.withObject("/spec").put("cidr", "10.65.0.0/99"))))
        .isInstanceOf(CorruptException.class)
        .hasMessageContaining("IPPool blue");
  }
}

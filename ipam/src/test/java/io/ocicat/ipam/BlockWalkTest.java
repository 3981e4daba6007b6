package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.block.BlockWalk;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlockWalkTest {
  private static IpPool pool(String cidr, int blockSize) {
    return IpPool.of(
        Resource.of(
            new ResourceKey.Named(Kind.IP_POOL, "", "p"),
            spec -> spec.put("cidr", cidr).put("blockSize", blockSize)));
  }

  /** The contract's vectors: where Go's walk begins. */
  @ParameterizedTest
  @CsvSource({
    "host-a,    4b0772cd, 10.0.0.0,   192.168.54.0,   10.244.216.0, 3600",
    "host-b,    4b0772ce, 10.0.0.128, 192.168.195.128, 10.244.92.0, c380",
    "node-1,    21df10a7, 10.0.0.128, 192.168.84.128, 10.244.25.0,  5480",
    "test-host, 6a0af334, 10.0.0.128, 192.168.253.0,  10.244.210.0, fd00",
    "testHost,  7e4c12b7, 10.0.0.128, 192.168.4.128,  10.244.18.0,  480"
  })
  void startsWhereGoStarts(
      String host, String hash, String small, String large, String wide, String v6) {
    assertThat(BlockWalk.fnv1(host)).isEqualTo(Long.parseLong(hash, 16));
    assertThat(first("10.0.0.0/24", 26, host)).isEqualTo(small + "/26");
    assertThat(first("192.168.0.0/16", 26, host)).isEqualTo(large + "/26");
    assertThat(first("10.244.0.0/16", 24, host)).isEqualTo(wide + "/24");
    assertThat(first("fd80:24e2:f998:72d6::/112", 122, host))
        .isEqualTo("fd80:24e2:f998:72d6::" + v6 + "/122");
  }

  private static String first(String cidr, int blockSize, String host) {
    return new BlockWalk(pool(cidr, blockSize), host, () -> 0).iterator().next().toString();
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/16, 26", "10.0.0.0/16, 20", "10.0.0.0/24, 32", "10.0.0.0/26, 26",
    "fd00::/112, 122", "fd00::/108, 116", "fd00::/120, 128", "255.255.255.0/24, 26"
  })
  void visitsEveryBlockOnce(String cidr, int blockSize) {
    IpPool pool = pool(cidr, blockSize);
    List<IpPrefix> seen = new ArrayList<>();
    new BlockWalk(pool, "host-a", () -> 42).forEach(seen::add);

    assertThat(seen).hasSize(1 << (blockSize - pool.cidr().length()));
    assertThat(new HashSet<>(seen)).hasSameSizeAs(seen);
    assertThat(seen).allMatch(block -> pool.cidr().contains(block) && block.isNetwork());
  }

  @Test
  void goesOnFromWhereItStarts() {
    List<String> seen = new ArrayList<>();
    new BlockWalk(pool("10.0.0.0/24", 26), "host-b", () -> 0)
        .forEach(block -> seen.add(block.toString()));

    assertThat(seen)
        .containsExactly("10.0.0.128/26", "10.0.0.192/26", "10.0.0.0/26", "10.0.0.64/26");
  }

  @Test
  void blocksOfOneAddressBeginAnywhere() {
    IpPool pool = pool("10.0.0.0/24", 32);

    assertThat(new BlockWalk(pool, "host-a", () -> 1).iterator().next())
        .isNotEqualTo(new BlockWalk(pool, "host-a", () -> 2).iterator().next());
  }

  @Test
  void aPoolThatNobodyCanWalkToItsEndStartsAllTheSame() {
    assertThat(first("fd00::/48", 122, "host-a")).startsWith("fd00");
  }
}

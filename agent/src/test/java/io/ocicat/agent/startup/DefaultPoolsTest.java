package io.ocicat.agent.startup;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DefaultPoolsTest {
  @TempDir Path folder;
  private @Nullable Datastore opened;

  @BeforeEach
  void open() {
    opened = Datastores.openOwn(new DatastoreConfig.Embedded(folder));
  }

  @AfterEach
  void close() {
    datastore().close();
  }

  private Datastore datastore() {
    return requireNonNull(opened);
  }

  private void ensure(Map<String, String> environment, String... hostAddresses) {
    new DefaultPools(
            datastore(),
            new StartupSettings(environment),
            Stream.of(hostAddresses).map(IpAddress::parse).toList(),
            true,
            () -> 0x0102030405060708L)
        .ensure();
  }

  private List<IpPool> pools() {
    return datastore().list(ResourceQuery.of(Kind.IP_POOL)).items().stream()
        .map(IpPool::of)
        .toList();
  }

  @Test
  void everyVariableCounts() {
    ensure(
        Map.of(
            "CALICO_IPV4POOL_CIDR", "10.10.0.0/16",
            "CALICO_IPV4POOL_BLOCK_SIZE", "28",
            "CALICO_IPV4POOL_IPIP", "cross-subnet",
            "CALICO_IPV4POOL_NAT_OUTGOING", "false",
            "CALICO_IPV4POOL_DISABLE_BGP_EXPORT", "true",
            "CALICO_IPV4POOL_NODE_SELECTOR", "has(rack)",
            "CALICO_IPV6POOL_CIDR", "fd00:10::/64",
            "CALICO_IPV6POOL_VXLAN", "Always",
            "CALICO_IPV6POOL_NAT_OUTGOING", "true"));

    IpPool v4 = pools().getFirst();
    assertThat(v4.cidr()).hasToString("10.10.0.0/16");
    assertThat(v4.blockSize()).isEqualTo(28);
    assertThat(v4.ipip()).isEqualTo(IpPool.Tunnel.CROSS_SUBNET);
    assertThat(v4.vxlan()).isEqualTo(IpPool.Tunnel.NEVER);
    assertThat(v4.natOutgoing()).isFalse();
    assertThat(v4.disableBgpExport()).isTrue();
    assertThat(v4.nodeSelector()).hasToString("has(rack)");
    IpPool v6 = pools().get(1);
    assertThat(v6.cidr()).hasToString("fd00:10::/64");
    assertThat(v6.blockSize()).isEqualTo(122);
    assertThat(v6.vxlan()).isEqualTo(IpPool.Tunnel.ALWAYS);
    assertThat(v6.natOutgoing()).isTrue();
  }

  @Test
  void withoutVariablesTheSubnetsAreFree() {
    ensure(Map.of(), "192.168.7.1", "172.16.0.1");

    assertThat(pools())
        .extracting(pool -> pool.name() + " " + pool.cidr() + " " + pool.natOutgoing())
        .containsExactly(
            "default-ipv4-ippool 172.17.0.0/16 true",
            "default-ipv6-ippool fd01:203:405::/48 false");
  }

  @Test
  void aFamilyThatHasAPoolGetsNoOther() {
    datastore()
        .create(
            Resource.of(
                new ResourceKey.Named(Kind.IP_POOL, "", "own"),
                spec -> spec.put("cidr", "10.0.0.0/24").put("disabled", true)));

    ensure(Map.of("CALICO_IPV6POOL_CIDR", "none"));

    assertThat(pools()).extracting(IpPool::name).containsExactly("own");
  }

  @Test
  void poolsCanBeSwitchedOff() {
    ensure(Map.of("NO_DEFAULT_POOLS", "true"));
    assertThat(pools()).isEmpty();

    ensure(Map.of("CALICO_IPV4POOL_CIDR", "none", "CALICO_IPV6POOL_CIDR", "None"));
    assertThat(pools()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CALICO_IPV4POOL_CIDR         | fd00::/64  | must be an IPv4 network or none",
        "CALICO_IPV4POOL_BLOCK_SIZE   | 19         | must be 20–32",
        "CALICO_IPV6POOL_BLOCK_SIZE   | 26         | must be 116–128",
        "CALICO_IPV4POOL_VXLAN        | sometimes  | must be Always, CrossSubnet or Never",
        "CALICO_IPV4POOL_NAT_OUTGOING | perhaps    | must be true or false",
        "NO_DEFAULT_POOLS             | maybe      | must be true or false",
        "CALICO_IPV4POOL_NODE_SELECTOR| rack ==    | the pool that CALICO_IPV4POOL_… describe"
            + " cannot be created",
      })
  void anInvalidVariableIsNamed(String variable, String value, String rule) {
    assertThatThrownBy(() -> ensure(Map.of(variable, value)))
        .isInstanceOfSatisfying(
            StartupException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(StartupException.Reason.BAD_SETTING);
              assertThat(e).hasMessageContaining(rule);
            });
  }

  @Test
  void aSubnetAndNoPoolsContradictEachOther() {
    assertThatThrownBy(
            () -> ensure(Map.of("NO_DEFAULT_POOLS", "true", "CALICO_IPV4POOL_CIDR", "10.0.0.0/8")))
        .isInstanceOf(StartupException.class)
        .hasMessageContaining("CALICO_IPV4POOL_CIDR and NO_DEFAULT_POOLS contradict each other");
  }

  @Test
  void withFlannelThereAreOnlyThePoolsThatAreAskedFor() {
    ensure(Map.of("OCICAT_FLANNEL", "true"));
    assertThat(pools()).isEmpty();

    ensure(Map.of("OCICAT_FLANNEL", "true", "CALICO_IPV4POOL_CIDR", "10.65.0.0/16"));
    assertThat(pools()).extracting(pool -> pool.cidr().toString()).containsExactly("10.65.0.0/16");
  }
}

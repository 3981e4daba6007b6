package io.ocicat.datastore.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.resource.AffinityType;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.testkit.Seeded;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CalicoLayoutTest {
  private static final String RESOURCES = "/calico/resources/v3/projectcalico.org/";
  private static final List<Kind> NAMED =
      Arrays.stream(Kind.values()).filter(kind -> !kind.isIpam()).toList();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/calico",
        "/other/thing",
        "/calico/v1/something",
        RESOURCES + "ippools",
        RESOURCES + "ippools/",
        RESOURCES + "ippools/a/b",
        RESOURCES + "networkpolicies/only-one",
        RESOURCES + "nosuchkinds/x",
        RESOURCES + "ipamblocks/x",
        "/calico/ipam/v2/assignment/ipv4/block/10.65.0.0",
        "/calico/ipam/v2/assignment/ipv4/block/10.65.0.0-33",
        "/calico/ipam/v2/assignment/ipv6/block/10.65.0.0-26",
        "/calico/ipam/v2/assignment/ipv4/blocks/10.65.0.0-26",
        "/calico/ipam/v2/other/node/ipv4/block/10.65.0.0-26",
        "/calico/ipam/v2/handle/",
        "/calico/ipam/v2/handle/a/b",
      })
  void foreignKeysAreNotParsed(String path) {
    assertThat(CalicoLayout.parse(path)).isEmpty();
  }

  @Test
  void prefixesEndWhereTheNextNameWouldBegin() {
    assertThat(CalicoLayout.prefixes(ResourceQuery.of(Kind.IP_POOL)))
        .containsExactly(RESOURCES + "ippools/");
    assertThat(CalicoLayout.prefixes(ResourceQuery.in(Kind.NETWORK_POLICY, "shop")))
        .containsExactly(RESOURCES + "networkpolicies/shop/");
    assertThat(
            CalicoLayout.prefixes(
                ResourceQuery.startingWith(Kind.WORKLOAD_ENDPOINT, "shop", "n-k8s-web-")))
        .containsExactly(RESOURCES + "workloadendpoints/shop/n-k8s-web-");
    assertThat(
            CalicoLayout.prefixes(
                new ResourceQuery.Affinities(AffinityType.HOST, "a", IpVersion.V6)))
        .containsExactly("/calico/ipam/v2/host/a/ipv6/block/");
    assertThat(CalicoLayout.prefixes(new ResourceQuery.Affinities(null, null, null)))
        .containsExactly("/calico/ipam/v2/host/", "/calico/ipam/v2/virtual/");
    assertThat(CalicoLayout.prefixes(new ResourceQuery.Blocks(IpVersion.V4)))
        .containsExactly("/calico/ipam/v2/assignment/ipv4/");
  }

  @Test
  void namesThatWouldBeAnotherKeyAreRefused() {
    assertThatThrownBy(() -> ResourceKey.of(Kind.IP_POOL, "a/b"))
        .isInstanceOf(InvalidException.class)
        .hasMessageContaining("must not contain slashes");
    assertThatThrownBy(() -> ResourceKey.of(Kind.NETWORK_POLICY, "", "a"))
        .hasMessage("NetworkPolicy needs a namespace");
    assertThatThrownBy(() -> ResourceKey.of(Kind.IP_POOL, "ns", "a"))
        .hasMessageContaining("IPPool has no namespace");
    assertThatThrownBy(() -> new ResourceKey.Handle("a/../b")).isInstanceOf(InvalidException.class);
  }

  @Test
  void aBrokenValueNamesItsKey() {
    assertThatThrownBy(
            () ->
                CalicoLayout.decode(
                    ResourceKey.of(Kind.IP_POOL, "blue"),
                    new KeyValue("/key", "{\"kind\":", 1, 1, 0)))
        .isInstanceOf(CorruptException.class)
        .hasMessageContaining("IPPool blue")
        .hasMessageContaining("/key");
  }

  @Test
  void anAffinityWithoutAValueIsAnEmptyOne() {
    ResourceKey key = ResourceKey.Affinity.ofHost("n", IpPrefix.parse("10.0.0.0/26"));

    assertThat(CalicoLayout.decode(key, new KeyValue("/k", "", 1, 1, 0)).content()).isEmpty();
  }

  @Test
  void anyKeyIsReadBack() {
    Seeded.forAll(
        1000,
        random -> {
          ResourceKey key = anyKey(random);
          assertThat(CalicoLayout.parse(CalicoLayout.path(key))).contains(key);
        });
  }

  private static ResourceKey anyKey(Random random) {
    return switch (random.nextInt(5)) {
      case 0 -> new ResourceKey.Block(prefix(random));
      case 1 ->
          new ResourceKey.Affinity(
              random.nextBoolean() ? AffinityType.HOST : AffinityType.VIRTUAL,
              name(random),
              prefix(random));
      case 2 -> new ResourceKey.Handle(name(random));
      default -> {
        Kind kind = NAMED.get(random.nextInt(NAMED.size()));
        yield kind.isNamespaced()
            ? ResourceKey.of(kind, name(random), name(random))
            : ResourceKey.of(kind, name(random));
      }
    };
  }

  private static IpPrefix prefix(Random random) {
    return random.nextBoolean()
        ? IpPrefix.of(IpAddress.ofV4(random.nextInt()), 20 + random.nextInt(13))
        : IpPrefix.of(IpAddress.ofV6(random.nextLong(), random.nextLong()), random.nextInt(129));
  }

  private static String name(Random random) {
    String alphabet = "aZ0-._:% é";
    StringBuilder name = new StringBuilder("x");
    for (int i = random.nextInt(10); i > 0; i--) {
      name.append(alphabet.charAt(random.nextInt(alphabet.length())));
    }
    return name.toString();
  }
}

package io.ocicat.datastore.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.kubernetes.mapping.CrdUids;
import io.ocicat.datastore.kubernetes.mapping.CustomNames;
import io.ocicat.datastore.resource.AffinityType;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.testkit.Seeded;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Random;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names, labels and UIDs of custom resources. */
class CustomNamesTest {
  private static final Pattern SUBDOMAIN = Pattern.compile("[a-z0-9]([a-z0-9.-]*[a-z0-9])?");

  @ParameterizedTest
  @CsvSource({
    "10.65.0.0/26, 10-65-0-0-26",
    "fd00:65::/122, fd00-65---122",
    "fd00:1::40/122, fd00-1--40-122",
    "fd80:24e2:f998:72d6::/122, fd80-24e2-f998-72d6---122"
  })
  void blocksAreCalledAsTheirAddresses(String cidr, String name) {
    assertThat(CustomNames.of(new ResourceKey.Block(IpPrefix.parse(cidr)))).isEqualTo(name);
  }

  @Test
  void affinitiesAreCalledAsHostAndBlock() {
    IpPrefix block = IpPrefix.parse("10.0.0.0/26");
    String host = "long--hostna".repeat(21);

    assertThat(CustomNames.of(ResourceKey.Affinity.ofHost("node-1", block)))
        .isEqualTo("node-1-10-0-0-0-26");
    assertThat(CustomNames.of(ResourceKey.Affinity.ofHost(host, block)))
        .hasSize(252)
        .startsWith(host.substring(0, 228))
        .endsWith("-10-0-0-0-26-fb0ffb1c45a");
  }

  @ParameterizedTest
  @CsvSource({
    "node1, 7DS2CCNJGGLTHBDQLLFO6SX24SY2YDDEG3W2VN556FA2W4DLLV5A",
    "node-a, PY3TQE2E3XMTETLM2MJO3UITKPFB27YUJ4T4E5XGPEJON3SM4QAA",
    "node-1, A3XPYDATRKB7Q4SM2O5FN4RXIHBFIL2PITFX26BAIP5XAB2X74CA",
    "host-a, BFCLEOKXKXJN3LUK3AL2TWDBTX3OWLM5ZSRM6I3Y5HSZA6Z2BHOA"
  })
  void hostsAreFoundByTheirHash(String host, String hash) {
    assertThat(CustomNames.hostHash(host)).isEqualTo(hash);
  }

  @Test
  void handlesAreCalledInLowerCase() {
    assertThat(CustomNames.of(new ResourceKey.Handle("net.AA11İ"))).startsWith("net.aa11i");
  }

  /** The API rejects Calico's, so nobody looks for it. */
  @Test
  void handlesThatAreNotValidNamesEndInADigest() {
    String hashed = "net.vmi._" + "aB_-".repeat(10) + "_";

    assertThat(CustomNames.of(new ResourceKey.Handle("net.vmi.shop.vm-1")))
        .isEqualTo("net.vmi.shop.vm-1");
    assertThat(CustomNames.of(new ResourceKey.Handle("my_net.c1")))
        .matches("my-net.c1-[0-9a-f]{64}");
    assertThat(CustomNames.of(new ResourceKey.Handle(hashed)))
        .startsWith("net.vmi.ab-ab-")
        .isNotEqualTo(CustomNames.of(new ResourceKey.Handle(hashed.replace('B', 'b'))));
    Seeded.forAll(
        2000,
        random -> {
          StringBuilder id = new StringBuilder("_");
          int length = random.nextInt(300);
          for (int i = 0; i < length; i++) {
            id.append("aZ09-_..é".charAt(random.nextInt(9)));
          }

          String name = CustomNames.of(new ResourceKey.Handle(id.toString()));

          assertThat(name)
              .hasSizeLessThanOrEqualTo(253)
              .matches("[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*");
        });
  }

  @ParameterizedTest
  @CsvSource({
    "85d1d33f-f55f-4f28-a89d-0a55394311db, a18bcbfc-affa-4f14-a8b9-50aa9cc288db",
    "01234567-89ab-4cde-8f01-23456789abcd, 80c4a2e6-91d5-4c7b-8f80-c4a2e691d5b3"
  })
  void uidsAreSwappedAsCalicoDoes(String shown, String stored) {
    assertThat(CrdUids.swap(shown)).isEqualTo(stored);
    assertThat(CrdUids.swap(stored)).isEqualTo(shown);
  }

  @Test
  void swappingTwiceChangesNothingAndKeepsVersionAndVariant() {
    Seeded.forAll(
        2000,
        random -> {
          UUID uid = new UUID(random.nextLong(), random.nextLong());
          UUID swapped = UUID.fromString(CrdUids.swap(uid.toString()));

          assertThat(CrdUids.swap(swapped.toString())).isEqualTo(uid.toString());
          assertThat(swapped.version()).isEqualTo(uid.version());
          assertThat(swapped.variant()).isEqualTo(uid.variant());
          assertThat(Long.bitCount(swapped.getMostSignificantBits()))
              .isEqualTo(Long.bitCount(uid.getMostSignificantBits()));
        });
  }

  @Test
  void whatIsNoUidStaysAsItIs() {
    Seeded.forAll(
        500,
        random -> {
          String text = text(random, random.nextInt(40));
          if (text.length() != 36) {
            assertThat(CrdUids.swap(text)).isEqualTo(text);
          } else {
            assertThat(CrdUids.swap(CrdUids.swap(text))).isEqualToIgnoringCase(text);
          }
        });
  }

  @Test
  void namesOfAffinitiesAreValidAndTheirOwn() {
    Seeded.forAll(
        2000,
        random -> {
          String host = "h" + text(random, random.nextInt(250)) + "h";
          IpPrefix cidr = prefix(random);
          ResourceKey.Affinity key = new ResourceKey.Affinity(AffinityType.HOST, host, cidr);

          String name = CustomNames.of(key);

          assertThat(name).hasSizeLessThan(253).matches(SUBDOMAIN);
          String whole = host + "-" + CustomNames.cidr(cidr);
          if (whole.length() < 253) {
            assertThat(name).isEqualTo(whole);
          } else {
            byte[] hash =
                MessageDigest.getInstance("SHA-256")
                    .digest((host + "+" + CustomNames.cidr(cidr)).getBytes(StandardCharsets.UTF_8));
            assertThat(name)
                .endsWith(
                    CustomNames.cidr(cidr) + "-" + HexFormat.of().formatHex(hash).substring(0, 11));
          }
        });
  }

  private static IpPrefix prefix(Random random) {
    return random.nextBoolean()
        ? IpPrefix.of(IpAddress.ofV4(random.nextInt()), random.nextInt(33)).network()
        : IpPrefix.of(IpAddress.ofV6(random.nextLong(), random.nextLong()), random.nextInt(129))
            .network();
  }

  private static String text(Random random, int length) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append("abcdef0123456789-".charAt(random.nextInt(17)));
    }
    return text.toString();
  }
}

package io.ocicat.plugins.hostlocal;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.plugins.Ipam;
import io.ocicat.plugins.Side;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Addresses that the runtime requests. */
class HostLocalRequestTest {
  private static final String TWO_RANGES =
      "[[{\"subnet\":\"10.1.2.0/24\",\"gateway\":\"10.1.2.9\"},{\"subnet\":\"10.1.3.0/24\"}]]";

  @TempDir Path tmp;

  private Ipam net(String ranges, String ips) {
    return Ipam.of(
        "host-local",
        "{\"cniVersion\":\"1.0.0\",\"name\":\"mynet\",\"type\":\"bridge\",\"args\":{\"cni\":{\"ips\":%s}},\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"%s\",\"ranges\":%s}}"
            .formatted(ips, tmp, ranges));
  }

  private NetworkDir dir() {
    return new NetworkDir(tmp.resolve("mynet"));
  }

  @ParameterizedTest
  @EnumSource(Side.class)
  void arequestedAddressIsGivenAndTheRoundGoesOnBehindIt(Side side) {
    Ipam net = net(TWO_RANGES, "[]").by(side);

    assertThat(address(net.with("CNI_ARGS", "IP=10.1.2.88"))).isEqualTo("10.1.2.88/24");
    assertThat(dir().files())
        .isEqualTo(
            Map.of("lock", "", "10.1.2.88", "ctr\r\neth0", "last_reserved_ip.0", "10.1.2.88"));
    assertThat(address(net.container("other"))).isEqualTo("10.1.2.89/24");
  }

  @ParameterizedTest
  @EnumSource(Side.class)
  void ofSeveralRangesTheRightOneIsTaken(Side side) {
    assertThat(address(net(TWO_RANGES, "[\"10.1.3.7/8\"]").by(side))).isEqualTo("10.1.3.7/24");
  }

  @ParameterizedTest
  @EnumSource(Side.class)
  void eachSetGivesOneOfThem(Side side) {
    Ipam net =
        net(
                "[[{\"subnet\":\"10.1.2.0/24\"}],[{\"subnet\":\"2001:db8:1::/64\"}]]",
                "[\"10.1.2.88\",\"2001:db8:1::999\"]")
            .by(side);

    assertThat(net.add().ok().path("ips").toString())
        .contains("10.1.2.88/24", "2001:db8:1::999/64");
  }

  @ParameterizedTest
  @EnumSource(Side.class)
  void whatIsTakenIsRefusedEvenToItsOwner(Side side) {
    Ipam net = net(TWO_RANGES, "[\"10.1.2.88\"]");
    net.add().ok();

    assertThat(net.by(side).add().error().msg())
        .isEqualTo(
            "failed to allocate for range 0: requested IP address 10.1.2.88 is not available in"
                + " range set 10.1.2.1-10.1.2.254,10.1.3.1-10.1.3.254");
    assertThat(dir().leases()).hasSize(1);
  }

  @Test
  void itSaysWhoHasIt() {
    net(TWO_RANGES, "[\"10.1.2.88\"]").add().ok();

    assertThat(net(TWO_RANGES, "[\"10.1.2.88\"]").container("other").add().error().details())
        .isEqualTo("it is leased to ctr (eth0)");
  }

  @ParameterizedTest
  @EnumSource(Side.class)
  void theGatewayIsRefused(Side side) {
    assertThat(net(TWO_RANGES, "[\"10.1.2.9\"]").by(side).add().error().msg())
        .isEqualTo("failed to allocate for range 0: requested ip 10.1.2.9 is subnet's gateway");
    assertThat(dir().leases()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Side.class)
  void whatIsInNoRangeIsRefusedAndNothingStays(Side side) {
    assertThat(net(TWO_RANGES, "[\"10.9.9.9\"]").by(side).add().error().msg())
        .isEqualTo("failed to allocate all requested IPs: 10.9.9.9");
    assertThat(dir().leases()).isEmpty();
  }

  @Test
  void twoOfOneSetAreRefusedAndNothingStays() {
    assertThat(net(TWO_RANGES, "[\"10.1.2.7\",\"10.1.3.7\"]").add().error().msg())
        .isEqualTo("failed to allocate all requested IPs: 10.1.3.7");
    assertThat(dir().leases()).isEmpty();
  }

  /** The Go plugin releases what the container had before. */
  @Test
  void arefusedRequestKeepsWhatTheContainerHad() {
    net(TWO_RANGES, "[\"10.1.2.7\"]").add().ok();
    net(TWO_RANGES, "[\"10.1.2.8\",\"10.9.9.9\"]").add().error();

    assertThat(dir().leases()).isEqualTo(Map.of("10.1.2.7", "ctr\r\neth0"));
  }

  private static String address(Ipam net) {
    return net.add().ok().at("/ips/0/address").asString();
  }
}

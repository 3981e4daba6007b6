package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.model.IpReservation;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.Reservations;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ReservationsTest {
  private static Reservations of(String... cidrs) {
    return new Reservations(
        List.of(new IpReservation("r", Stream.of(cidrs).map(IpPrefix::parse).toList())));
  }

  @Test
  void addressesInsideAreReserved() {
    Reservations some = of("10.0.0.0/30", "fd00::/126", "10.1.0.1/32");

    assertThat(some.contains(IpAddress.parse("10.0.0.3"))).isTrue();
    assertThat(some.contains(IpAddress.parse("10.0.0.4"))).isFalse();
    assertThat(some.contains(IpAddress.parse("10.1.0.1"))).isTrue();
    assertThat(some.contains(IpAddress.parse("fd00::3"))).isTrue();
    assertThat(some.overlaps(IpPrefix.parse("10.0.0.0/24"))).isTrue();
    assertThat(some.overlaps(IpPrefix.parse("10.2.0.0/24"))).isFalse();
  }

  @Test
  void aBlockIsCoveredByOneEntryOrByAllInsideIt() {
    assertThat(of("10.0.0.0/24").cover(IpPrefix.parse("10.0.0.64/26"))).isTrue();
    assertThat(of("10.0.0.0/27", "10.0.0.32/27").cover(IpPrefix.parse("10.0.0.0/26"))).isTrue();
    assertThat(of("10.0.0.0/27", "10.0.0.32/28").cover(IpPrefix.parse("10.0.0.0/26"))).isFalse();
    assertThat(
            of("10.0.0.0/27", "10.0.0.0/27", "10.0.0.16/28").cover(IpPrefix.parse("10.0.0.0/26")))
        .as("what is inside another counts once")
        .isFalse();
    assertThat(Reservations.NONE.cover(IpPrefix.parse("10.0.0.0/32"))).isFalse();
  }
}

package io.ocicat.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.testkit.Seeded;
import java.math.BigInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IpPrefixTest {
  @Test
  void keepsHostBits() {
    IpPrefix prefix = IpPrefix.parse("10.1.2.3/24");
    assertThat(prefix).hasToString("10.1.2.3/24");
    assertThat(prefix.network()).hasToString("10.1.2.0/24");
    assertThat(prefix.isNetwork()).isFalse();
    assertThat(IpPrefix.parse("2001:db8::7/64")).hasToString("2001:db8::7/64");
  }

  @ParameterizedTest
  @CsvSource({
    "10.1.2.3/24, 10.1.2.0, 10.1.2.255, 255.255.255.0, 256",
    "10.1.2.3/0, 0.0.0.0, 255.255.255.255, 0.0.0.0, 4294967296",
    "10.1.2.3/32, 10.1.2.3, 10.1.2.3, 255.255.255.255, 1",
    "2001:db8::7/64, 2001:db8::, 2001:db8::ffff:ffff:ffff:ffff, ffff:ffff:ffff:ffff::, 18446744073709551616",
    "2001:db8::7/63, 2001:db8::, 2001:db8:0:1:ffff:ffff:ffff:ffff, ffff:ffff:ffff:fffe::, 36893488147419103232",
    "fd00::1:2/112, fd00::1:0, fd00::1:ffff, ffff:ffff:ffff:ffff:ffff:ffff:ffff:0, 65536",
    "::/0, ::, ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, ::, 340282366920938463463374607431768211456",
  })
  void knowsItsRange(String text, String first, String last, String mask, BigInteger size) {
    IpPrefix prefix = IpPrefix.parse(text);
    assertThat(prefix.first()).hasToString(first);
    assertThat(prefix.last()).hasToString(last);
    assertThat(prefix.mask()).hasToString(mask);
    assertThat(prefix.size()).isEqualTo(size);
  }

  @Test
  void hasABroadcastAddressOnlyWhereThereIsOne() {
    assertThat(IpPrefix.parse("10.1.2.3/30").broadcast()).contains(IpAddress.parse("10.1.2.3"));
    assertThat(IpPrefix.parse("10.1.2.3/31").broadcast()).isEmpty();
    assertThat(IpPrefix.parse("fd00::/64").broadcast()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "10.1.0.0/33|prefix length must be 0–32",
        "10.1.0.0/99|prefix length must be 0–32",
        "10.1.0.0/-1|prefix length must be 0–32",
        "10.1.0.0/+1|prefix length must be 0–32",
        "10.1.0.0/08|prefix length must be 0–32",
        "10.1.0.0/|prefix length must be 0–32",
        "10.1.0.0/8/8|prefix length must be 0–32",
        "10.1.0.0/99999999999|prefix length must be 0–32",
        "::/129|prefix length must be 0–128",
        "10.1.0.0|it has no /prefix-length",
        "''|it has no /prefix-length",
        "10.1.0/16|\"10.1.0\" is not an IP address: expected four numbers, as in 10.0.0.1",
        "/16|\"\" is not an IP address: it is empty",
      })
  void refusesWithTheReason(String text, String why) {
    assertThatThrownBy(() -> IpPrefix.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("\"" + text + "\" is not a CIDR: " + why);
    assertThat(IpPrefix.tryParse(text)).isEmpty();
  }

  @Test
  void refusesALengthBeyondTheFamily() {
    assertThatThrownBy(() -> IpPrefix.of(IpAddress.parse("10.0.0.1"), 33))
        .hasMessage("prefix length of 10.0.0.1 must be 0–32, not 33");
  }

  @Test
  void whatIsPrintedParsesToTheSame() {
    Seeded.forAll(
        2_000,
        random -> {
          IpPrefix prefix = Addresses.prefix(random);
          assertThat(IpPrefix.parse(prefix.toString())).isEqualTo(prefix);
          assertThat(prefix.network().network()).isEqualTo(prefix.network());
          assertThat(prefix.compareTo(IpPrefix.parse(prefix.toString()))).isZero();
        });
  }

  @Test
  void containsExactlyWhatLiesBetweenFirstAndLast() {
    Seeded.forAll(
        5_000,
        random -> {
          IpPrefix prefix = Addresses.prefix(random);
          IpAddress near = random.nextBoolean() ? prefix.first() : prefix.last();
          IpAddress address = random.nextInt(3) == 0 ? Addresses.any(random) : near;
          assertThat(prefix.contains(address))
              .isEqualTo(
                  address.isV4() == prefix.isV4()
                      && address.compareTo(prefix.first()) >= 0
                      && address.compareTo(prefix.last()) <= 0);
          assertThat(prefix.last().minus(prefix.first()).add(BigInteger.ONE))
              .isEqualTo(prefix.size());
        });
  }

  @Test
  void twoPrefixesOverlapExactlyWhenOneContainsTheOther() {
    Seeded.forAll(
        5_000,
        random -> {
          IpPrefix a = Addresses.prefix(random);
          IpPrefix b =
              random.nextBoolean()
                  ? Addresses.prefix(random)
                  : IpPrefix.of(a.address(), random.nextInt(a.address().bitLength() + 1));
          boolean apart =
              a.isV4() != b.isV4()
                  || a.last().compareTo(b.first()) < 0
                  || b.last().compareTo(a.first()) < 0;
          assertThat(a.overlaps(b)).isEqualTo(!apart);
          assertThat(b.overlaps(a)).isEqualTo(!apart);
          assertThat(a.contains(b)).isEqualTo(!apart && a.length() <= b.length());
        });
  }

  @Test
  void aHostPrefixHoldsOneAddress() {
    assertThat(IpPrefix.host(IpAddress.parse("10.0.0.1"))).hasToString("10.0.0.1/32");
    assertThat(IpPrefix.host(IpAddress.parse("fd00::1"))).hasToString("fd00::1/128");
  }
}

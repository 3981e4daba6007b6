package io.ocicat.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.testkit.Seeded;
import java.math.BigInteger;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IpAddressTest {
  @ParameterizedTest
  @CsvSource({
    "0.0.0.0, 0.0.0.0",
    "10.1.2.3, 10.1.2.3",
    "255.255.255.255, 255.255.255.255",
    "::, ::",
    "::1, ::1",
    "1::, 1::",
    "2001:DB8:0:0:0:0:0:1, 2001:db8::1",
    "2001:0db8:0000:0000:0001:0000:0000:0001, 2001:db8::1:0:0:1",
    "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
    "1:2:3:4:5:6:7::, 1:2:3:4:5:6:7:0",
    "::2:3:4:5:6:7:8, 0:2:3:4:5:6:7:8",
    "0:0:1:0:0:0:1:1, 0:0:1::1:1",
    "1:0:0:2:0:0:3:4, 1::2:0:0:3:4",
    "::ffff:10.0.0.1, ::ffff:10.0.0.1",
    "::ffff:0a00:0001, ::ffff:10.0.0.1",
    "::10.0.0.1, ::a00:1",
    "64:ff9b::192.0.2.33, 64:ff9b::c000:221",
    "1:2:3:4:5:6:10.0.0.1, 1:2:3:4:5:6:a00:1",
  })
  void parsesAndPrintsTheCanonicalForm(String text, String canonical) {
    assertThat(IpAddress.parse(text)).hasToString(canonical);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "''|it is empty",
        "10.1.2|expected four numbers, as in 10.0.0.1",
        "10.1.2.3.4|expected four numbers, as in 10.0.0.1",
        "10.1.2.|expected four numbers, as in 10.0.0.1",
        "10..2.3|expected four numbers, as in 10.0.0.1",
        " 10.1.2.3|expected four numbers, as in 10.0.0.1",
        "10.1.2.3 |expected four numbers, as in 10.0.0.1",
        "10.1.2.٣|expected four numbers, as in 10.0.0.1",
        "localhost|expected four numbers, as in 10.0.0.1",
        "10.1.2.256|each number must be 0–255",
        "10.1.2.99999999999|each number must be 0–255",
        "10.01.2.3|a number must not start with 0",
        "10.1.2.00|a number must not start with 0",
        "fe80::1%eth0|a zone is not allowed",
        ":|expected groups of hexadecimal digits between colons",
        ":1::|expected groups of hexadecimal digits between colons",
        ":::|expected groups of hexadecimal digits between colons",
        "1:::2|expected groups of hexadecimal digits between colons",
        "1::g|expected groups of hexadecimal digits between colons",
        "1:2 ::|expected groups of hexadecimal digits between colons",
        "1:2:3:4:5:6:7:|it ends with a single colon",
        "1:2:3:4:5:6:7|expected eight groups or \"::\"",
        "1::2::3|\"::\" may appear only once",
        "1:2:3:4:5:6:7:8:9|more than eight groups",
        "1:2:3:4::5:6:7:8|\"::\" must stand for at least one group",
        "12345::|a group has at most four digits",
        "::1.2.3|the IPv4 part must be four numbers at the end",
        "::1.2.3.4:5|the IPv4 part must be four numbers at the end",
        "::01.2.3.4|a number must not start with 0",
        "1:2:3:4:5:6:7:1.2.3.4|more than eight groups",
      })
  void refusesWithTheReason(String text, String why) {
    assertThatThrownBy(() -> IpAddress.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("\"" + text + "\" is not an IP address: " + why);
    assertThat(IpAddress.tryParse(text)).isEmpty();
  }

  @Test
  void showsHostileTextShortAndWithoutControlCharacters() {
    assertThatThrownBy(() -> IpAddress.parse("\u001b[31m\"" + "x".repeat(100_000)))
        .hasMessageStartingWith("\"\\u001b[31m\\\"xxx")
        .hasMessageEndingWith("…\" is not an IP address: expected four numbers, as in 10.0.0.1")
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(160));
  }

  @Test
  void whatIsPrintedParsesToTheSame() {
    Seeded.forAll(
        5_000,
        random -> {
          IpAddress address = Addresses.any(random);
          assertThat(IpAddress.parse(address.toString())).isEqualTo(address);
          assertThat(IpAddress.ofBytes(address.toByteArray())).isEqualTo(address);
          assertThat(IpAddress.parse(address.toString())).hasSameHashCodeAs(address);
        });
  }

  @Test
  void bytesAreThoseOfTheJdk() {
    Seeded.forAll(
        1_000,
        random -> {
          IpAddress address = Addresses.any(random);
          byte[] bytes = InetAddress.getByName(address.toString()).getAddress();
          assertThat(address.unmap().toByteArray()).isEqualTo(bytes);
        });
  }

  @Test
  void anyTextIsEitherRefusedOrCanonicalAfterOneRound() {
    String alphabet = "0123456789abcdefF:.:.%/ x";
    Seeded.forAll(
        20_000,
        random -> {
          StringBuilder text = new StringBuilder();
          for (int i = random.nextInt(24); i > 0; i--) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
          }
          IpAddress.tryParse(text.toString())
              .ifPresent(a -> assertThat(IpAddress.parse(a.toString())).isEqualTo(a));
        });
  }

  @Test
  void stepsAndDistancesAgreeWithUnboundedArithmetic() {
    Seeded.forAll(
        5_000,
        random -> {
          IpAddress address = Addresses.any(random);
          long offset = random.nextInt(3) == 0 ? random.nextLong() : random.nextInt(-3, 4);
          BigInteger expected = value(address).add(BigInteger.valueOf(offset));
          if (expected.signum() < 0 || expected.bitLength() > address.bitLength()) {
            assertThatThrownBy(() -> address.plus(offset))
                .isInstanceOf(ArithmeticException.class)
                .hasMessageContaining(address.toString());
          } else {
            IpAddress moved = address.plus(offset);
            assertThat(value(moved)).isEqualTo(expected);
            assertThat(moved.minus(address)).isEqualTo(BigInteger.valueOf(offset));
            assertThat(moved.isV6()).isEqualTo(address.isV6());
          }
        });
  }

  @Test
  void carriesAcrossTheMiddle() {
    assertThat(IpAddress.parse("::ffff:ffff:ffff:ffff").next()).hasToString("0:0:0:1::");
    assertThat(IpAddress.parse("0:0:0:1::").previous()).hasToString("::ffff:ffff:ffff:ffff");
    assertThat(IpAddress.parse("10.0.0.255").next()).hasToString("10.0.1.0");
  }

  @Test
  void hasNoAddressBeyondTheEnds() {
    assertThatThrownBy(() -> IpAddress.parse("255.255.255.255").next())
        .hasMessage("there is no address 1 steps from 255.255.255.255");
    assertThatThrownBy(() -> IpAddress.parse("::").previous())
        .hasMessage("there is no address -1 steps from ::");
  }

  @Test
  void hasNoDistanceBetweenFamilies() {
    assertThatThrownBy(() -> IpAddress.parse("::1").minus(IpAddress.parse("0.0.0.1")))
        .hasMessage("no distance between 0.0.0.1 and ::1: not the same family");
  }

  @Test
  void sortsAsUnsignedNumbersWithIpv4First() {
    Seeded.forAll(
        2_000,
        random -> {
          IpAddress a = Addresses.any(random);
          IpAddress b = random.nextInt(4) == 0 ? a : Addresses.any(random);
          int expected =
              a.isV6() == b.isV6()
                  ? value(a).compareTo(value(b))
                  : Boolean.compare(a.isV6(), b.isV6());
          assertThat(Integer.signum(a.compareTo(b))).isEqualTo(expected);
          assertThat(a.equals(b)).isEqualTo(expected == 0);
        });
  }

  @Test
  void unmapsOnlyMappedAddresses() {
    assertThat(IpAddress.parse("::ffff:10.0.0.1").unmap()).hasToString("10.0.0.1");
    assertThat(IpAddress.parse("::ffff:10.0.0.1")).isNotEqualTo(IpAddress.parse("10.0.0.1"));
    assertThat(IpAddress.parse("::10.0.0.1").unmap().isV6()).isTrue();
    assertThat(IpAddress.parse("1::ffff:a00:1").isV4Mapped()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "127.3.2.1, loopback",
    "::1, loopback",
    "::ffff:127.0.0.1, loopback",
    "169.254.1.1, linkLocal",
    "fe80::1, linkLocal",
    "febf:ffff::, linkLocal",
    "224.0.0.1, multicast",
    "239.255.255.255, multicast",
    "ff02::1, multicast",
    "0.0.0.0, unspecified",
    "::, unspecified",
    "10.0.0.1, none",
    "128.0.0.1, none",
    "240.0.0.1, none",
    "fec0::1, none",
    "::2, none",
  })
  void classifies(String text, String kind) {
    IpAddress address = IpAddress.parse(text);
    assertThat(address.isLoopback()).isEqualTo(kind.equals("loopback"));
    assertThat(address.isLinkLocal()).isEqualTo(kind.equals("linkLocal"));
    assertThat(address.isMulticast()).isEqualTo(kind.equals("multicast"));
    assertThat(address.isUnspecified()).isEqualTo(kind.equals("unspecified"));
  }

  @Test
  void refusesOtherNumbersOfBytes() {
    assertThatThrownBy(() -> IpAddress.ofBytes(new byte[5]))
        .hasMessage("an IP address has 4 or 16 bytes, not 5");
  }

  private static BigInteger value(IpAddress address) {
    return new BigInteger(1, address.toByteArray());
  }
}

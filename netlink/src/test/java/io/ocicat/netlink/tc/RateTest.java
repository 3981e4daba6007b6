package io.ocicat.netlink.tc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RateTest {
  @ParameterizedTest
  @CsvSource({
    "8, 8bit",
    "8000, 8Kbit",
    "8000000, 8Mbit",
    "1500000, 1500Kbit",
    "1000000000, 1Gbit",
    "100000000000, 100Gbit",
    "9876544, 9876544bit"
  })
  void aRateIsPrintedInTheLargestUnitThatFits(long bits, String text) {
    assertThat(Rate.ofBits(bits)).hasToString(text);
  }

  @Test
  void bitsAndBytesAreToldApart() {
    assertThat(Rate.ofBits(8_000_000)).isEqualTo(Rate.ofBytes(1_000_000));
    assertThat(Rate.ofBits(15)).isEqualTo(Rate.ofBytes(1));
    assertThat(Rate.ofBytes(Long.MAX_VALUE)).hasToString("9223372036854775807byte/s");
  }

  @Test
  void lessThanAByteIsNoRate() {
    assertThatThrownBy(() -> Rate.ofBits(7))
        .hasMessage("a rate must be at least 8 bits per second, not 7");
    assertThatThrownBy(() -> Rate.ofBytes(0))
        .hasMessage("a rate must be at least 1 byte per second, not 0");
  }
}

package io.ocicat.cli.ipam;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressCountTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "64, 64",
    "65536, 65536",
    "99999, 99999",
    "100000, 1e+05",
    "1048576, 1.0486e+06",
    "1208925819614629174706176, 1.2089e+24",
  })
  void numbersHaveFiveDigitsAsInGo(BigInteger number, String text) {
    assertThat(AddressCount.text(number)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"0, 0, 0 (0%)", "5, 65536, 5 (0%)", "64, 64, 64 (100%)", "1, 3, 1 (33%)"})
  void partsAreRoundedToPercent(BigInteger part, BigInteger whole, String text) {
    assertThat(AddressCount.share(part, whole)).isEqualTo(text);
  }
}

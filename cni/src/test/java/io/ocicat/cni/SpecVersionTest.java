package io.ocicat.cni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpecVersionTest {
  @Test
  void listsVersionsStartingFromOne() {
    assertThat(SpecVersion.textsFrom(SpecVersion.V0_1_0))
        .containsExactly("0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0");
    assertThat(SpecVersion.textsFrom(SpecVersion.V0_3_1))
        .containsExactly("0.3.1", "0.4.0", "1.0.0", "1.1.0");
  }

  @Test
  void findsByExactTextAndNoneMeansTheFirst() {
    assertThat(SpecVersion.find("1.0.0")).contains(SpecVersion.V1_0_0);
    assertThat(SpecVersion.find("")).contains(SpecVersion.V0_1_0);
    assertThat(SpecVersion.find("1.0")).isEmpty();
    assertThatThrownBy(() -> SpecVersion.of("9.9.9"))
        .isInstanceOfSatisfying(
            CniException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INCOMPATIBLE_VERSION))
        .hasMessage(
            "unsupported CNI version \"9.9.9\"; known versions are"
                + " 0.1.0, 0.2.0, 0.3.0, 0.3.1, 0.4.0, 1.0.0, 1.1.0");
  }

  @ParameterizedTest
  @CsvSource({
    "0.1.0, 0.1.0",
    "'', 0.1.0",
    "1, 1.0.0",
    "1.2, 1.2.0",
    "0.4567.0, 0.4567.0",
    "0.-42.0, 0.-42.0",
    "+1.0.0, 1.0.0",
    "01.02.03, 1.2.3",
  })
  void parsesAnyVersionAsNumbers(String text, String number) {
    assertThat(VersionNumber.parse(text)).hasToString(number);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0.",
        "..",
        ".",
        "asdf",
        "1.0.f",
        "1.0.0.0",
        "1.0.0-rc1",
        " 1.0.0",
        "1.٣.0",
        "1.0.99999999999999999999"
      })
  void refusesMalformedVersions(String text) {
    assertThatThrownBy(() -> VersionNumber.parse(text))
        .isInstanceOfSatisfying(
            CniException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DECODING_FAILURE))
        .hasMessageStartingWith("invalid version \"" + text + "\": ");
  }

  @Test
  void saysWhatIsMalformed() {
    assertThatThrownBy(() -> VersionNumber.parse("1.0.0.0"))
        .hasMessage("invalid version \"1.0.0.0\": too many parts");
    assertThatThrownBy(() -> VersionNumber.parse("1.0.f"))
        .hasMessage("invalid version \"1.0.f\": \"f\" is not a number");
  }

  @ParameterizedTest
  @CsvSource({
    "1.1.0, V1_1_0, true", "1.1, V1_1_0, true", "1.10.0, V1_1_0, true", "1.0.9, V1_1_0, false",
    "0.4.0, V0_4_0, true", "0.3.1, V0_4_0, false", "'', V0_1_0, true", "'', V0_2_0, false",
    "0.-42.0, V0_1_0, false",
  })
  void comparesPartByPart(String text, SpecVersion other, boolean atLeast) {
    assertThat(VersionNumber.parse(text).isAtLeast(other)).isEqualTo(atLeast);
  }

  @Test
  void isOrderedAsItsNumbers() {
    for (SpecVersion a : SpecVersion.values()) {
      for (SpecVersion b : SpecVersion.values()) {
        assertThat(a.isAtLeast(b)).isEqualTo(a.number().compareTo(b.number()) >= 0);
      }
    }
  }
}

package io.ocicat.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.testkit.Seeded;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MacAddressTest {
  @ParameterizedTest
  @ValueSource(strings = {"02:0A:5e:10:00:ff", "02-0a-5E-10-00-FF", "020a.5e10.00fF"})
  void readsTheThreeFormsAndPrintsOne(String text) {
    assertThat(MacAddress.parse(text)).hasToString("02:0a:5e:10:00:ff");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "02:0a:5e:10:00",
        "02:0a:5e:10:00:f",
        "02:0a:5e:10:00:fg",
        "02:0a:5e:10:00-ff",
        "2:0a:5e:10:00:0ff",
        "020a5e1000ff",
        "020a:5e10:00ff",
        "02.0a.5e.10.00.ff",
        " 2:0a:5e:10:00:ff",
        "02:0a:5e:10:00:ff:00:01",
        "02:0a:5e:10:00:٣٣"
      })
  void refusesAnythingElse(String text) {
    assertThatThrownBy(() -> MacAddress.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "\"" + text + "\" is not a MAC address: expected six bytes, as in 02:00:5e:10:00:01");
    assertThat(MacAddress.tryParse(text)).isEmpty();
  }

  @Test
  void whatIsPrintedParsesToTheSame() {
    Seeded.forAll(
        1_000,
        random -> {
          MacAddress mac = new MacAddress(random.nextLong() >>> 16);
          assertThat(MacAddress.parse(mac.toString())).isEqualTo(mac);
          assertThat(MacAddress.ofBytes(mac.toByteArray())).isEqualTo(mac);
          assertThat(mac.compareTo(MacAddress.parse(mac.toString()))).isZero();
        });
  }

  @Test
  void knowsItsTwoFlagBits() {
    assertThat(MacAddress.parse("02:00:00:00:00:01").isLocallyAdministered()).isTrue();
    assertThat(MacAddress.parse("02:00:00:00:00:01").isMulticast()).isFalse();
    assertThat(MacAddress.parse("01:00:5e:00:00:01").isMulticast()).isTrue();
    assertThat(MacAddress.parse("00:16:3e:00:00:01").isLocallyAdministered()).isFalse();
  }

  @Test
  void refusesWhatIsNotSixBytes() {
    assertThatThrownBy(() -> MacAddress.ofBytes(new byte[8]))
        .hasMessage("a MAC address has 6 bytes, not 8");
    assertThatThrownBy(() -> new MacAddress(1L << 48))
        .hasMessage("a MAC address has 48 bits, not 0x1000000000000");
  }
}

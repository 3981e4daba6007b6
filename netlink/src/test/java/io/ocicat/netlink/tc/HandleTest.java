package io.ocicat.netlink.tc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.testkit.Seeded;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Handles of qdiscs, classes and u32 filters, in tc's syntax. */
class HandleTest {
  @ParameterizedTest
  @CsvSource({
    "1:, 1, 0",
    "1:30, 1, 48",
    "ffff:, 65535, 0",
    "ffff:fff2, 65535, 65522",
    ":5, 0, 5",
    "8001:ab, 32769, 171"
  })
  void aHandleIsHexadecimal(String text, int major, int minor) {
    assertThat(Handle.of(major, minor)).hasToString(text);
    assertThat(Handle.parse(text)).isEqualTo(Handle.of(major, minor));
    assertThat(Handle.parse(text).major()).isEqualTo(major);
    assertThat(Handle.parse(text).minor()).isEqualTo(minor);
  }

  @Test
  void specialPlacesHaveNames() {
    assertThat(Handle.ROOT).hasToString("root");
    assertThat(Handle.NONE).hasToString("none");
    assertThat(Handle.INGRESS).hasToString("ffff:fff1");
    assertThat(Handle.parse("root")).isEqualTo(Handle.ROOT);
    assertThat(Handle.parse("none")).isEqualTo(Handle.NONE);
  }

  @Test
  void aClassIsNamedAfterItsQdisc() {
    assertThat(Handle.ofQdisc(1).minor(0x30)).hasToString("1:30");
  }

  @Test
  void everyHandleIsReadAsItIsPrinted() {
    Seeded.forAll(
        2000,
        random -> {
          Handle any = new Handle(random.nextInt());
          assertThat(Handle.parse(any.toString())).isEqualTo(any);
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", ":", "1", "12345:", "1:12345", "g:", "1:-1", "1:2:3", " 1:", "1:+2", "١:"})
  void whatIsNoHandleIsRefusedByName(String text) {
    assertThatThrownBy(() -> Handle.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("\"" + text + "\" is not a tc handle");
  }

  @Test
  void numbersOutOfRangeAreRefused() {
    assertThatThrownBy(() -> Handle.of(0x10000, 0))
        .hasMessage("a handle has two numbers from 0 to ffff, not 10000 and 0");
    assertThatThrownBy(() -> Handle.ofQdisc(1).minor(-1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void u32HandlesNameTableBucketAndFilter() {
    assertThat(U32Handle.ofTable(0x800)).hasToString("800:");
    assertThat(U32Handle.of(0x800, 0, 0x801)).hasToString("800::801");
    assertThat(U32Handle.of(2, 0x7b, 0)).hasToString("2:7b:");
    assertThat(U32Handle.of(2, 0x7b, 0x800)).hasToString("2:7b:800");
    assertThat(U32Handle.NONE).hasToString("none");
    assertThatThrownBy(() -> U32Handle.of(1, 0x100, 0))
        .hasMessage(
            "1:100:0 is no u32 handle: table and filter are 0 to fff, the bucket is 0 to ff");
  }
}

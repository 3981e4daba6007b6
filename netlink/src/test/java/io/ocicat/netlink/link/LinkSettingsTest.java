package io.ocicat.netlink.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.ocicat.netlink.link.LinkKind.Bridge;
import io.ocicat.netlink.link.LinkKind.Veth;
import io.ocicat.netlink.link.LinkKind.Vlan;
import io.ocicat.netlink.link.LinkKind.Vxlan;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is rejected before the kernel sees it. */
class LinkSettingsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``               | it is empty",
        "sixteencharacter | it has 16 bytes, Linux allows 15",
        "ääääääää         | it has 16 bytes, Linux allows 15",
        ".                | it is the name of a directory",
        "..               | it is the name of a directory",
        "a/b              | character 0x2f is not allowed",
        "eth0:1           | character 0x3a is not allowed",
        "veth%d           | character 0x25 is not allowed",
        "`a b`            | character 0x20 is not allowed",
      })
  void aNameTheKernelWouldRefuseOrMisreadIsRefused(String name, String why) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LinkSettings.named(name))
        .withMessage("\"" + name + "\" cannot name a link: " + why);
    assertThatIllegalArgumentException().isThrownBy(() -> Links.named(name));
    assertThatIllegalArgumentException().isThrownBy(() -> Links.delete(name));
  }

  @Test
  void aZeroByteDoesNotCutANameShort() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LinkSettings.named("eth0\0x"))
        .withMessageEndingWith("character 0x00 is not allowed");
  }

  @Test
  void fifteenBytesAreAllowed() {
    assertThat(LinkSettings.named("cali0123456789a")).hasToString("name \"cali0123456789a\"");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
  void anIndexIsPositive(int index) {
    // With index 0 and a group the kernel would change every link of the group.
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Links.setGroup(index, 7))
        .withMessage("a link's index is positive, not " + index);
    assertThatIllegalArgumentException().isThrownBy(() -> Links.delete(index));
    assertThatIllegalArgumentException().isThrownBy(() -> Links.byIndex(index));
    assertThatIllegalArgumentException().isThrownBy(() -> LinkSettings.none().master(index));
    assertThatIllegalArgumentException().isThrownBy(() -> LinkSettings.none().mtu(index));
  }

  @Test
  void whatTheKernelWouldIgnoreInACreationIsRefused() {
    LinkSettings aliased = LinkSettings.named("v0").alias("mine");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> Links.create(aliased, new Bridge()))
        .withMessageStartingWith("Linux ignores the alias of a new link (name \"v0\" alias");
    assertThatIllegalArgumentException().isThrownBy(() -> new Veth(aliased));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Veth(LinkSettings.named("p0").master(3)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Veth(LinkSettings.named("p0").up()))
        .withMessageContaining("set them afterwards");
  }

  @Test
  void aLongAliasIsRefused() {
    assertThat(LinkSettings.none().alias("x".repeat(255))).isNotNull();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LinkSettings.none().alias("x".repeat(256)))
        .withMessageEndingWith("has 256 bytes, Linux allows 255");
  }

  @Test
  void renamingNeedsTheIndex() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Links.set("a", LinkSettings.named("b")))
        .withMessage("renaming link \"a\" to \"b\" needs its index");
  }

  @Test
  void numbersOfNetworksHaveTheirBounds() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Vxlan(1 << 24))
        .withMessage("vxlan id 16777216 is not in 0–16777215");
    assertThatIllegalArgumentException().isThrownBy(() -> new Vxlan(1).withPort(65536));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Vlan(1, 4095))
        .withMessage("VLAN 4095 is not in 0–4094");
    assertThatIllegalArgumentException().isThrownBy(() -> new Bridge().withDefaultPvid(4095));
    assertThatIllegalArgumentException().isThrownBy(() -> BridgeVlan.tagged(0));
    assertThatIllegalArgumentException().isThrownBy(() -> BridgeVlan.tagged(4095));
    assertThatIllegalArgumentException().isThrownBy(() -> BridgeVlan.tagged(20, 10));
    assertThatIllegalArgumentException().isThrownBy(() -> new BridgeVlan(1, 2, true, true));
  }
}

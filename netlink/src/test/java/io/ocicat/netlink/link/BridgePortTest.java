package io.ocicat.netlink.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.netlink.link.LinkKind.Bridge;
import io.ocicat.netlink.link.LinkKind.Veth;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import tools.jackson.databind.JsonNode;

/** The options of bridge ports, checked with {@code ip}. */
@Hosts
class BridgePortTest {
  /** The kernel's names, where ours differ. */
  private static final Map<BridgePortOption, String> WORDS =
      Map.of(
          BridgePortOption.FAST_LEAVE, "fastleave",
          BridgePortOption.MULTICAST_FLOOD, "mcast_flood",
          BridgePortOption.MULTICAST_TO_UNICAST, "mcast_to_unicast",
          BridgePortOption.BROADCAST_FLOOD, "bcast_flood",
          BridgePortOption.NEIGHBOUR_SUPPRESS, "neigh_suppress");

  private Machine here;
  private int port;

  @BeforeEach
  void open(Host host) {
    here = Machine.on(host);
    Link bridge = Links.create(here.net(), LinkSettings.named("br0"), new Bridge());
    port =
        Links.create(
                here.net(),
                LinkSettings.named("v0").master(bridge.index()),
                new Veth(LinkSettings.named("p0")))
            .index();
  }

  @AfterEach
  void close() {
    here.close();
  }

  // Without VLAN filtering in the kernel, this one has nothing to map.
  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "VLAN_TUNNEL")
  void eachOptionIsTurnedBothWaysAndLeavesTheOthers(BridgePortOption option) {
    JsonNode before = here.showPort("v0");
    boolean was = before.path(word(option)).booleanValue();

    here.net().perform(Links.setPort(port, BridgePort.with(option, !was)));
    assertThat(here.showPort("v0").path(word(option)).booleanValue()).isEqualTo(!was);
    assertThat(readPort().is(option)).isEqualTo(!was);

    here.net().perform(Links.setPort(port, BridgePort.with(option, was)));
    assertThat(here.showPort("v0")).isEqualTo(before);
  }

  @Test
  void whatIsReadIsWhatIpShows() {
    JsonNode shown = here.showPort("v0");
    BridgePort read = readPort();

    Set<BridgePortOption> expected = EnumSet.noneOf(BridgePortOption.class);
    EnumSet.allOf(BridgePortOption.class).stream()
        .filter(option -> shown.path(word(option)).booleanValue())
        .forEach(expected::add);
    assertThat(BridgePortOption.values()).filteredOn(read::is).containsExactlyElementsOf(expected);
    assertThat(read.options()).containsOnlyKeys(BridgePortOption.values());
  }

  @Test
  void aPortIsSetUpInTheSendThatMakesIt() {
    int bridge = here.link("br0").index();

    Links.create(
        here.net(),
        LinkSettings.named("v1").master(bridge).up(),
        new Veth(LinkSettings.named("p1")),
        Links.setPort(
            "v1",
            BridgePort.with(BridgePortOption.HAIRPIN, true).and(BridgePortOption.ISOLATED, true)));

    assertThat(here.showPort("v1").path("hairpin").booleanValue()).isTrue();
    assertThat(here.showPort("v1").path("isolated").booleanValue()).isTrue();
  }

  @Test
  void aLinkThatIsNoPortIsRefused() {
    assertThatThrownBy(
            () ->
                here.net()
                    .perform(
                        Links.setPort(
                            "p0",
                            BridgePort.with(BridgePortOption.HAIRPIN, true)
                                .and(BridgePortOption.LEARNING, false))))
        .hasMessageStartingWith(
            "set bridge port \"p0\" hairpin on, learning off: Operation not supported");
    assertThat(here.link("p0").port()).isNull();
  }

  private BridgePort readPort() {
    return Objects.requireNonNull(here.link("v0").port());
  }

  private static String word(BridgePortOption option) {
    return WORDS.getOrDefault(option, option.toString());
  }
}

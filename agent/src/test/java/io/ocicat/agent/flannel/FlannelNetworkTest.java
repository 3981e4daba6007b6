package io.ocicat.agent.flannel;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.desired.DesiredState;
import io.ocicat.agent.desired.DesiredTunnel;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.IpFamily;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which desired state follows from leases; what the kernel makes of it is tried elsewhere. */
class FlannelNetworkTest {
  private static final ExternalInterface EXTERNAL =
      new ExternalInterface(
          "eth0",
          1500,
          Map.of(IpFamily.V4, IpPrefix.parse("192.0.2.1/24")),
          Map.of(IpFamily.V4, IpAddress.parse("192.0.2.1")));

  private final DesiredState state = new DesiredState();
  private final FlannelNetwork network = new FlannelNetwork(state);

  private static SubnetLease lease(int number, String address, String backend) {
    LeaseSubnets subnets =
        new LeaseSubnets(IpPrefix.parse("10.50.%d.0/24".formatted(number)), null);
    return new SubnetLease(
        subnets.key(),
        subnets,
        new LeaseAttributes(
            IpAddress.parse(address),
            null,
            backend,
            new VtepData(1, new MacAddress(0x020000000000L + number)),
            null),
        number,
        false);
  }

  private boolean follow(String backend, SubnetLease... others) {
    NetConf conf =
        NetConf.read(
            "a test",
            "{\"Network\":\"10.50.0.0/16\",\"Backend\":%s}".formatted(backend.replace('\'', '"')));
    return network.follow(
        new FlannelView(
            conf,
            EXTERNAL,
            lease(1, "192.0.2.1", conf.backend().type()),
            List.of(others),
            new FlannelView.Rules(true, true, true, false),
            Set.of()));
  }

  private Stream<String> routes() {
    return state.routes().all().values().stream().map(Object::toString).sorted();
  }

  @Test
  void vxlanNeedsARouteANeighbourAndAForwardingEntryPerLease() {
    follow("{'Type':'vxlan'}", lease(2, "192.0.2.2", "vxlan"), lease(3, "198.51.100.3", "vxlan"));

    assertThat(routes())
        .containsExactly(
            "10.50.2.0/24 via 10.50.2.0 dev flannel.1 proto boot",
            "10.50.3.0/24 via 10.50.3.0 dev flannel.1 proto boot");
    assertThat(state.neighbours().all().toString())
        .contains("10.50.2.0 dev flannel.1=02:00:00:00:00:02");
    assertThat(state.forwarding().all().toString())
        .contains("02:00:00:00:00:03 dev flannel.1=198.51.100.3");
    assertThat(state.tunnels()).containsExactly("flannel.1");
    assertThat(network.problems()).isEmpty();
  }

  @Test
  void directRoutingUsesTheTunnelOnlyForOtherSubnets() {
    follow(
        "{'Type':'vxlan','DirectRouting':true}",
        lease(2, "192.0.2.2", "vxlan"),
        lease(3, "198.51.100.3", "vxlan"));

    assertThat(routes())
        .containsExactly(
            "10.50.2.0/24 via 192.0.2.2 dev eth0 proto boot",
            "10.50.3.0/24 via 10.50.3.0 dev flannel.1 proto boot");
    assertThat(state.forwarding().size()).isOne();
  }

  @Test
  void whatIsNotLeasedAnyMoreIsNotWantedAnyMore() {
    assertThat(follow("{'Type':'vxlan'}", lease(2, "192.0.2.2", "vxlan"))).isTrue();
    assertThat(follow("{'Type':'vxlan'}")).as("owns the same").isFalse();

    assertThat(routes()).isEmpty();
    assertThat(state.neighbours().size()).isZero();
    assertThat(state.forwarding().size()).isZero();
    follow("{'Type':'host-gw'}", lease(2, "192.0.2.2", "host-gw"));
    assertThat(routes()).containsExactly("10.50.2.0/24 via 192.0.2.2 dev eth0 proto boot");
    assertThat(state.tunnel("flannel.1").orElseThrow()).isInstanceOf(DesiredTunnel.Unused.class);
  }

  @Test
  void leasesThatCannotBeUsedAreNamed() {
    follow(
        "{'Type':'host-gw'}",
        lease(2, "192.0.2.2", "vxlan"),
        lease(3, "198.51.100.3", "host-gw"),
        lease(1, "192.0.2.4", "host-gw"));

    assertThat(routes()).isEmpty();
    assertThat(network.problems())
        .containsExactly(
            "flannel lease 10.50.2.0/24 of 192.0.2.2 is ignored: its node uses the back end vxlan,"
                + " this one host-gw",
            "flannel lease 10.50.3.0/24 of 198.51.100.3 cannot be reached by host-gw: 198.51.100.3"
                + " is not in the subnet of eth0; use vxlan",
            "flannel lease 10.50.1.0/24 of 192.0.2.4 overlaps 10.50.1.0/24 of this node and is not"
                + " used");
  }

  @Test
  void anUnchangedTableIsTheSameObject() {
    follow("{'Type':'host-gw'}");
    Object before = state.tables().get(FlannelTable.id(IpFamily.V4));
    follow("{'Type':'host-gw'}", lease(2, "192.0.2.2", "host-gw"));

    assertThat(state.tables().get(FlannelTable.id(IpFamily.V4))).isSameAs(before);
    assertThat(state.tables()).hasSize(1);
  }
}

package io.ocicat.agent.desired;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.agent.config.ConfigSources;
import io.ocicat.agent.config.EffectiveConfig;
import io.ocicat.agent.view.ViewEvent;
import io.ocicat.agent.view.WatchedCluster;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which route leads to a block of another node, by the encapsulation of its pool. */
class RouteRulesTest {
  private static final HostNetwork HOST = new HostNetwork(Map.of(IpFamily.V4, "eth0"), 1500);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "|Never|Never|192.168.7.2/24|via 192.168.7.2 dev eth0 proto 80 mtu 0",
        "|Always|Never|192.168.7.2/24|via 192.168.7.2 dev tunl0 proto 80 mtu 1480",
        "|CrossSubnet|Never|192.168.7.2/24|via 192.168.7.2 dev eth0 proto 80 mtu 0",
        "|CrossSubnet|Never|192.168.8.2/24|via 192.168.8.2 dev tunl0 proto 80 mtu 1480",
        "|Never|Always|192.168.7.2/24|via 10.65.1.0 dev vxlan.calico proto boot mtu 1450",
        "bird|Never|Never|192.168.7.2/24|none",
        "bird|Always|Never|192.168.7.2/24|via 192.168.7.2 dev tunl0 proto 80 mtu 1480",
        "bird|Never|Always|192.168.7.2/24|via 10.65.1.0 dev vxlan.calico proto boot mtu 1450",
      })
  void aBlockOfAnotherNode(
      String backend, String ipip, String vxlan, String address, String route) {
    DesiredState state = state(backend == null ? "" : backend, ipip, vxlan, address);

    assertThat(
            state
                .routes()
                .get(new DesiredRoute.Key(IpPrefix.parse("10.65.1.0/26"), 0))
                .map(
                    it ->
                        "via %s dev %s proto %s mtu %d"
                            .formatted(it.gateway(), it.device(), it.protocol(), it.mtu()))
                .orElse("none"))
        .isEqualTo(route);
  }

  private static DesiredState state(String backend, String ipip, String vxlan, String address) {
    WatchedCluster view = new WatchedCluster("node1");
    list(
        view,
        Kind.IP_POOL,
        resource(
            Kind.IP_POOL,
            "p",
            "{\"cidr\":\"10.65.0.0/16\",\"ipipMode\":\"%s\",\"vxlanMode\":\"%s\"}"
                .formatted(ipip, vxlan)));
    list(
        view,
        Kind.NODE,
        resource(Kind.NODE, "node1", "{\"bgp\":{\"ipv4Address\":\"192.168.7.1/24\"}}"),
        resource(
            Kind.NODE,
            "node2",
            "{\"ipv4VXLANTunnelAddr\":\"10.65.1.0\",\"bgp\":{\"ipv4Address\":\"%s\"}}"
                .formatted(address)));
    list(
        view,
        Kind.IPAM_BLOCK,
        Resource.of(
            new ResourceKey.Block(IpPrefix.parse("10.65.1.0/26")),
            StoredJson.parseObject(
                "{\"cidr\":\"10.65.1.0/26\",\"affinity\":\"host:node2\",\"allocations\":[],"
                    + "\"unallocated\":[],\"attributes\":[]}")));
    DesiredState state = new DesiredState();
    CalicoNetwork network =
        new CalicoNetwork(
            view,
            EffectiveConfig.of(
                    new ConfigSources(
                        Map.of("CALICO_NETWORKING_BACKEND", backend),
                        "",
                        List.of(),
                        "node1",
                        Map.of()),
                    null)
                .config(),
            state);
    network.follow(HOST);
    network.rebuild();
    return state;
  }

  private static void list(WatchedCluster view, Kind kind, Resource... resources) {
    view.apply(new ViewEvent.Listed(kind, List.of(resources), List.of()));
  }

  private static Resource resource(Kind kind, String name, String spec) {
    return Resource.of(
        new ResourceKey.Named(kind, "", name),
        document -> document.setAll(StoredJson.parseObject(spec)));
  }
}

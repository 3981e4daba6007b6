package io.ocicat.agent.flannel;

import io.ocicat.ip.IpAddress;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.LinkKind;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/**
 * Flannel's VXLAN devices as the kernel has them, and what the node publishes of them. A device
 * keeps its MAC address for ever, because the other nodes know it: it is that of the published
 * lease, else of the existing device, else a random one. For one thread.
 */
final class FlannelDevices {
  private static final Pattern NAME = Pattern.compile("flannel(-v6)?\\.\\d{1,8}");

  private final NetNs host;
  private final RandomGenerator random;
  private final Map<String, MacAddress> macs = new HashMap<>();

  FlannelDevices(NetNs host, RandomGenerator random) {
    this.host = host;
    this.random = random;
  }

  /** What the node publishes. */
  LeaseAttributes attributes(NetConf conf, ExternalInterface external, LeaseRegistry registry) {
    IpAddress v4 = external.publicAddress(IpFamily.V4).orElse(null);
    IpAddress v6 = external.publicAddress(IpFamily.V6).orElse(null);
    String type = conf.backend().type();
    LeaseAttributes bare = new LeaseAttributes(v4, v6, type, null, null);
    if (!(conf.backend() instanceof Backend.Vxlan vxlan)) {
      return bare;
    }
    Optional<LeaseAttributes> published =
        registry.published(bare).filter(it -> it.backendType().equals(type));
    Map<IpFamily, VtepData> data = new EnumMap<>(IpFamily.class);
    for (IpFamily family : conf.enabled()) {
      MacAddress mac =
          macs.computeIfAbsent(
              vxlan.deviceName(family),
              name ->
                  published
                      .flatMap(it -> it.vtep(family))
                      .map(VtepData::mac)
                      .or(() -> existing(name))
                      .orElseGet(this::newMac));
      data.put(family, new VtepData(vxlan.vni(), mac));
    }
    return new LeaseAttributes(v4, v6, type, data.get(IpFamily.V4), data.get(IpFamily.V6));
  }

  private Optional<MacAddress> existing(String name) {
    try (NetlinkSocket net = NetlinkSocket.open(Protocol.ROUTE, host)) {
      return net.list(Links.all()).stream()
          .filter(link -> link.name().equals(name) && isVxlan(link))
          .map(Link::mac)
          .findFirst();
    }
  }

  private static boolean isVxlan(Link link) {
    return link.as(LinkKind.Vxlan.class).isPresent();
  }

  /** Locally administered, and of one interface. */
  private MacAddress newMac() {
    byte[] bytes = new byte[6];
    random.nextBytes(bytes);
    bytes[0] = (byte) ((bytes[0] & 0xfc) | 0x02);
    return MacAddress.ofBytes(bytes);
  }

  /**
   * Devices that the configuration does not have any more: those with a name of flannel's and an
   * address of the network.
   */
  Set<String> stale(NetConf conf) {
    Set<String> wanted = new HashSet<>();
    if (conf.backend() instanceof Backend.Vxlan vxlan) {
      conf.enabled().forEach(family -> wanted.add(vxlan.deviceName(family)));
    }
    try (NetlinkSocket net = NetlinkSocket.open(Protocol.ROUTE, host)) {
      List<Link> candidates =
          net.list(Links.all()).stream()
              .filter(link -> NAME.matcher(link.name()).matches() && isVxlan(link))
              .filter(link -> !wanted.contains(link.name()))
              .toList();
      if (candidates.isEmpty()) {
        return Set.of();
      }
      List<Address> addresses = net.list(Addresses.list());
      Set<String> stale = new HashSet<>();
      for (Link link : candidates) {
        if (addresses.stream()
            .anyMatch(it -> it.device().index() == link.index() && isOfNetwork(conf, it))) {
          stale.add(link.name());
        }
      }
      return stale;
    }
  }

  private static boolean isOfNetwork(NetConf conf, Address address) {
    IpAddress ip = address.prefix().address();
    return conf.network(IpFamily.of(ip)).filter(network -> network.contains(ip)).isPresent();
  }
}

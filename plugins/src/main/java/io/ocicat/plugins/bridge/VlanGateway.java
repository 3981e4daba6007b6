package io.ocicat.plugins.bridge;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.cni.Interface;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.route.Device;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.net.VethPair;
import io.ocicat.plugins.net.VethPair.HostEnd;
import java.util.Optional;

/**
 * The host's interface in a VLAN, which holds the gateway address there: one end of a veth pair on
 * the host, named {@code bridge.vlan}, whose other end is a port of the bridge. All containers of
 * the VLAN share it, and DEL never removes it.
 */
record VlanGateway(int index, String name, MacAddress mac) {

  /** Finds or creates it and brings it up. */
  static VlanGateway ensure(NetnsSockets host, HostBridge bridge, BridgeConf conf) {
    Optional<Link> present = host.link(conf.vlanGateway());
    return present.isPresent() ? of(host, present.get()) : create(host, bridge, conf);
  }

  private static VlanGateway of(NetnsSockets host, Link link) {
    MacAddress mac = link.mac();
    if (!link.kind().equals("veth") || mac == null) {
      throw new CniException(
              ErrorCode.INTERNAL,
              "\"%s\" already exists but is not a veth".formatted(link.name()),
              "the gateway of a VLAN needs that name: remove it, or choose another bridge or vlan")
          .because(FailureReason.NAME_TAKEN);
    }
    if (!link.isUp()) {
      host.route().perform(Links.up(link.index()));
    }
    return new VlanGateway(link.index(), link.name(), mac);
  }

  private static VlanGateway create(NetnsSockets host, HostBridge bridge, BridgeConf conf) {
    VethPair pair;
    try {
      pair =
          VethPair.create(
              host,
              host,
              VethPair.Plan.of(conf.vlanGateway())
                  .withMtu(bridge.link().mtu())
                  .withHost(
                      HostEnd.RANDOM
                          .named(VethPair.randomName())
                          .as(new VethPair.Port(bridge.index(), Optional.empty()))));
    } catch (NetlinkException e) {
      if (!e.is(Errno.EEXIST)) {
        throw e;
      }
      // A concurrent call created it.
      return of(host, host.requireLink(conf.vlanGateway()));
    }
    try {
      PortVlans one = conf.vlans().accessOnly();
      host.route().perform(one.program(pair.host().index(), bridge.defaultVlan()));
      host.route().perform(Links.up(pair.container().index()));
    } catch (NetlinkException e) {
      // Otherwise the next ADD would consider it complete.
      pair.delete(host);
      throw HostBridge.explained(e, conf.vlans());
    }
    VethPair.End end = pair.container();
    pair.ignoreRouterAdvertisements(host, end.name());
    return new VlanGateway(end.index(), end.name(), end.mac());
  }

  Device device() {
    return Device.of(index, name);
  }

  Interface inResult() {
    return Interface.onHost(name).withMac(mac);
  }
}

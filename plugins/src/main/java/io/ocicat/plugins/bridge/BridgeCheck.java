package io.ocicat.plugins.bridge;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.Interface;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.Result;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.link.BridgePort;
import io.ocicat.netlink.link.BridgePortOption;
import io.ocicat.netlink.link.BridgeVlan;
import io.ocicat.netlink.link.BridgeVlans;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.route.Device;
import io.ocicat.plugins.masquerade.Masquerade;
import io.ocicat.plugins.net.AttachmentOwner;
import io.ocicat.plugins.net.ContainerInterface;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.List;
import java.util.function.Predicate;

/**
 * Implements CHECK: compares the result of ADD with the bridge, veth pair, addresses, routes and
 * rules in the kernel.
 */
final class BridgeCheck {
  private final NetnsSockets host;
  private final NetnsSockets container;
  private final BridgeConf conf;
  private final Result result;

  BridgeCheck(NetnsSockets host, NetnsSockets container, BridgeConf conf, Result result) {
    this.host = host;
    this.container = container;
    this.conf = conf;
    this.result = result;
  }

  /**
   * Checks the bridge, both ends of the veth pair, addresses, routes and rules.
   *
   * @throws CniException naming the first thing that is missing or different
   */
  void verify(AttachmentOwner owner, String sandbox) {
    String ifName = owner.ifName().value();
    Link bridge = bridge();
    Interface inside =
        recorded(
            "container interface \"%s\" in %s".formatted(ifName, sandbox),
            i -> i.name().equals(ifName) && i.sandbox().equals(sandbox));
    Link end = veth(container, inside);
    if (!conf.leaveDown() && !end.isUp()) {
      throw wrong("container interface \"%s\" is down".formatted(ifName));
    }
    Link port = port(bridge, end);
    portOptions(port);
    vlans(port);
    if (conf.spoofCheck()) {
      MacAddress mac = end.mac();
      SpoofCheck.verify(host, port.name(), mac == null ? new MacAddress(0) : mac);
    }
    if (conf.addressed()) {
      ContainerInterface.verify(container, ifName, result);
      List<IpConfig> own =
          result.ips().stream()
              .filter(ip -> result.interfaceOf(ip).map(inside::equals).orElse(true))
              .toList();
      if (conf.gateway()) {
        gateways(bridge, own);
      }
      if (conf.masquerade()) {
        Masquerade.verify(host, owner, own.stream().map(IpConfig::address).toList());
      }
    }
  }

  private Link bridge() {
    Interface recorded =
        recorded(
            "bridge interface \"%s\"".formatted(conf.bridge()),
            i -> i.name().equals(conf.bridge()) && i.isOnHost());
    Link bridge = host.requireLink(recorded.name());
    HostBridge.requireBridge(bridge);
    sameMac(bridge, recorded);
    if (!bridge.isUp()) {
      throw wrong("bridge \"%s\" is down".formatted(bridge.name()));
    }
    // Others may use the bridge in promiscuous mode, too, so only its absence is an error.
    if (conf.promiscuous() && !bridge.isPromiscuous()) {
      throw wrong("bridge \"%s\" is not in promiscuous mode".formatted(bridge.name()));
    }
    return bridge;
  }

  private Interface recorded(String what, Predicate<Interface> wanted) {
    return result.interfaces().stream()
        .filter(wanted)
        .findFirst()
        .orElseThrow(() -> wrong("prevResult has no %s".formatted(what)));
  }

  private Link veth(NetnsSockets net, Interface recorded) {
    Link link = net.requireLink(recorded.name());
    if (!link.kind().equals("veth")) {
      throw wrong(
          "\"%s\" is not a veth but %s"
              .formatted(link.name(), link.kind().isEmpty() ? "hardware" : link.kind()));
    }
    sameMac(link, recorded);
    return link;
  }

  private static void sameMac(Link link, Interface recorded) {
    if (!recorded.mac().isEmpty() && !recorded.mac().equalsIgnoreCase(String.valueOf(link.mac()))) {
      throw wrong(
          "\"%s\" has the hardware address %s, not %s as prevResult says"
              .formatted(link.name(), link.mac(), recorded.mac()));
    }
  }

  /** The recorded interface that is the other end of the container's veth pair. */
  private Link port(Link bridge, Link end) {
    for (Interface recorded : result.interfaces()) {
      if (recorded.isOnHost() && !recorded.name().equals(conf.bridge())) {
        Link link = host.requireLink(recorded.name());
        if (link.kind().equals("veth")
            && link.index() == end.peer()
            && link.peer() == end.index()) {
          sameMac(link, recorded);
          if (link.master() != bridge.index()) {
            throw wrong(
                "\"%s\" is not a port of bridge \"%s\"".formatted(link.name(), bridge.name()));
          }
          return link;
        }
      }
    }
    throw wrong(
        "prevResult names no interface of the host that is the peer of \"%s\""
            .formatted(end.name()));
  }

  private void portOptions(Link port) {
    BridgePort options = port.port();
    if (options == null) {
      throw wrong("\"%s\" is not a port of a bridge".formatted(port.name()));
    }
    same(port, "hairpin mode", options.is(BridgePortOption.HAIRPIN), conf.hairpin());
    // The firewall plugin isolates ports as well, so only missing isolation is an error.
    if (conf.isolated()) {
      same(port, "port isolation", options.is(BridgePortOption.ISOLATED), true);
    }
  }

  private static void same(Link port, String what, boolean actual, boolean wanted) {
    if (actual != wanted) {
      throw wrong(
          "\"%s\" has %s %s, not %s"
              .formatted(port.name(), what, actual ? "on" : "off", wanted ? "on" : "off"));
    }
  }

  private void vlans(Link port) {
    if (conf.vlans().isEmpty()) {
      return;
    }
    List<BridgeVlan> present =
        host.route().list(BridgeVlans.of(port.index())).stream()
            .flatMap(member -> member.vlans().stream())
            .toList();
    for (BridgeVlan wanted : conf.vlans().wanted()) {
      if (present.stream().noneMatch(vlan -> covers(vlan, wanted))) {
        throw wrong("\"%s\" does not take part in %s".formatted(port.name(), wanted));
      }
    }
  }

  private static boolean covers(BridgeVlan present, BridgeVlan wanted) {
    return present.first() <= wanted.first()
        && present.last() >= wanted.last()
        && present.pvid() == wanted.pvid()
        && present.untagged() == wanted.untagged();
  }

  private void gateways(Link bridge, List<IpConfig> own) {
    Link device = conf.vlans().access() == 0 ? bridge : host.requireLink(conf.vlanGateway());
    List<IpPrefix> missing =
        new BridgeAddresses(host, Device.of(device), Gateways.onBridge(own)).missing();
    if (!missing.isEmpty()) {
      throw wrong(
          "\"%s\" does not have the gateway address %s"
              .formatted(device.name(), missing.getFirst()));
    }
  }

  private static CniException wrong(String what) {
    return new CniException(ErrorCode.INTERNAL, what);
  }
}

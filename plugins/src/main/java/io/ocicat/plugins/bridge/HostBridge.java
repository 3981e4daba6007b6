package io.ocicat.plugins.bridge;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.cni.Interface;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.link.BridgeOption;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.LinkKind;
import io.ocicat.netlink.link.LinkSettings;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.route.Device;
import io.ocicat.plugins.net.NetnsSockets;
import io.ocicat.plugins.net.VethPair;
import java.util.Optional;

/**
 * The bridge on the host, which all containers of a network share and no DEL removes.
 *
 * @param fresh whether this call made it
 */
record HostBridge(Link link, boolean fresh) {
  private static final int DEFAULT_VLAN = 1;

  /**
   * Finds the bridge, or makes it, and sees that it is up. Several calls may do so at once: the
   * kernel lets one of them make it.
   */
  static HostBridge ensure(NetnsSockets host, BridgeConf conf) {
    Optional<Link> present = host.link(conf.bridge());
    HostBridge bridge =
        present.isPresent() ? new HostBridge(present.get(), false) : create(host, conf);
    requireBridge(bridge.link());
    bridge.bringUp(host, conf);
    return bridge;
  }

  /**
   * With an address of its own from the start, because otherwise it takes the lowest of its ports':
   * another one whenever containers come and go, while their neighbours remember the old one.
   */
  private static HostBridge create(NetnsSockets host, BridgeConf conf) {
    LinkSettings settings = LinkSettings.named(conf.bridge()).mac(VethPair.randomMac()).up();
    settings = conf.mtu() == 0 ? settings : settings.mtu(conf.mtu());
    settings = conf.promiscuous() ? settings.promiscuous(true) : settings;
    LinkKind.Bridge kind = new LinkKind.Bridge();
    if (conf.vlans().needFiltering()) {
      kind = kind.with(BridgeOption.VLAN_FILTERING, true);
    }
    try {
      return new HostBridge(Links.create(host.route(), settings, kind), true);
    } catch (NetlinkException e) {
      if (e.is(Errno.EEXIST)) {
        return new HostBridge(host.requireLink(conf.bridge()), false);
      }
      throw conf.vlans().needFiltering() ? explained(e, conf.vlans()) : e;
    }
  }

  /** What a kernel without VLAN filtering answers, in words that lead somewhere. */
  static RuntimeException explained(NetlinkException refusal, PortVlans vlans) {
    return refusal.is(Errno.EOPNOTSUPP)
        ? new CniException(
            ErrorCode.UNSUPPORTED_FIELD,
            "%s is not supported by this kernel: bridges cannot filter VLANs".formatted(vlans),
            "it was built without CONFIG_BRIDGE_VLAN_FILTERING (%s): remove vlan and vlanTrunk"
                .formatted(refusal.getMessage()))
        : refusal;
  }

  static void requireBridge(Link link) {
    if (!link.kind().equals("bridge")) {
      throw new CniException(
              ErrorCode.INTERNAL,
              "\"%s\" already exists but is not a bridge".formatted(link.name()),
              "it is %s: choose another name as bridge, or remove it"
                  .formatted(link.kind().isEmpty() ? "hardware" : "of kind " + link.kind()))
          .because(FailureReason.NAME_TAKEN);
    }
  }

  private void bringUp(NetnsSockets host, BridgeConf conf) {
    boolean listen = conf.promiscuous() && !link.isPromiscuous();
    if (!link.isUp() || listen) {
      LinkSettings settings = LinkSettings.none().up();
      host.route().perform(Links.set(link.index(), listen ? settings.promiscuous(true) : settings));
    }
  }

  int index() {
    return link.index();
  }

  String name() {
    return link.name();
  }

  MacAddress mac() {
    MacAddress mac = link.mac();
    if (mac == null) {
      throw new CniException(
          ErrorCode.INTERNAL, "bridge \"%s\" has no hardware address".formatted(name()));
    }
    return mac;
  }

  Device device() {
    return Device.of(link);
  }

  Interface inResult() {
    return Interface.onHost(name()).withMac(mac());
  }

  boolean filtersVlans() {
    return link.as(LinkKind.Bridge.class)
        .map(bridge -> bridge.is(BridgeOption.VLAN_FILTERING))
        .orElse(false);
  }

  /** The VLAN that every new port is in; 0 for none. */
  int defaultVlan() {
    return link.as(LinkKind.Bridge.class)
        .map(bridge -> bridge.defaultPvid() == null ? DEFAULT_VLAN : bridge.defaultPvid())
        .orElse(DEFAULT_VLAN);
  }

  /**
   * As it is with one port more: a bridge that others made may take the lowest address of its ports
   * for its own. Usually it has ports already, one of them lower, and nobody has to look.
   */
  HostBridge withPort(NetnsSockets host, MacAddress port) {
    boolean keepsAddress = fresh || (link.isRunning() && mac().compareTo(port) < 0);
    return keepsAddress ? this : new HostBridge(host.requireLink(name()), false);
  }
}

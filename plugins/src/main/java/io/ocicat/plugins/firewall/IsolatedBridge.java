package io.ocicat.plugins.firewall;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.Interface;
import io.ocicat.cni.InterfaceName;
import io.ocicat.cni.Result;
import io.ocicat.netlink.link.BridgePort;
import io.ocicat.netlink.link.BridgePortOption;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.List;
import java.util.Optional;

/**
 * The host side of an attachment to a bridge with isolated containers.
 *
 * @param ports the links on the host that may be the container's ports of the bridge
 */
record IsolatedBridge(Isolation isolation, List<String> ports) {
  IsolatedBridge {
    ports = List.copyOf(ports);
  }

  /**
   * As reported by the plugin that created the bridge; empty for the policy that needs no bridge.
   *
   * @throws CniException when the result has no bridge
   */
  static Optional<IsolatedBridge> of(IngressPolicy policy, Result previous) {
    if (policy == IngressPolicy.OPEN) {
      return Optional.empty();
    }
    List<Interface> interfaces = previous.interfaces();
    if (interfaces.isEmpty()) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          ("interface needs to be set for ingress policy \"%s\", make sure to chain \"firewall\""
                  + " plugin with \"bridge\"")
              .formatted(policy.text()));
    }
    String bridge = bridge(interfaces.getFirst());
    List<String> ports =
        interfaces.stream().skip(1).filter(Interface::isOnHost).map(Interface::name).toList();
    return Optional.of(
        new IsolatedBridge(new Isolation(bridge, policy == IngressPolicy.ISOLATED), ports));
  }

  private static String bridge(Interface first) {
    try {
      String name = new InterfaceName(first.name()).value();
      if (!name.endsWith("+")) {
        return name;
      }
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG, "to iptables a + at the end means any name");
    } catch (CniException e) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "prevResult.interfaces[0].name \"%s\" cannot name a bridge: %s"
              .formatted(first.name(), e.msg()));
    }
  }

  /**
   * Isolates the container's ports from other such ports, where the policy lets no container reach
   * another. Rules alone do not suffice: bridged packets pass them only where the kernel's
   * bridge-nf-call-iptables is on.
   */
  void isolatePorts(NetnsSockets host) {
    for (Link port : portsOf(host)) {
      host.route()
          .perform(Links.setPort(port.index(), BridgePort.with(BridgePortOption.ISOLATED, true)));
    }
  }

  /**
   * Checks that {@link #isolatePorts} is still in effect.
   *
   * @throws CniException naming a port where it is not
   */
  void checkPorts(NetnsSockets host) {
    for (Link port : portsOf(host)) {
      if (port.port() == null || !port.port().is(BridgePortOption.ISOLATED)) {
        throw new CniException(
            ErrorCode.INTERNAL,
            "port \"%s\" of bridge \"%s\" is not isolated"
                .formatted(port.name(), isolation.bridge()));
      }
    }
  }

  private List<Link> portsOf(NetnsSockets host) {
    Optional<Link> bridge = host.link(isolation.bridge());
    if (!isolation.within() || bridge.isEmpty()) {
      return List.of();
    }
    return ports.stream()
        .flatMap(name -> host.link(name).stream())
        .filter(link -> link.master() == bridge.get().index())
        .toList();
  }
}

package io.ocicat.agent.bgp;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.view.BgpConfiguration;
import io.ocicat.agent.view.BgpNode;
import io.ocicat.agent.view.WatchedCluster;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The values in force on this node.
 *
 * @param global BGPConfiguration {@code default}
 * @param local BGPConfiguration {@code node.<name>}: its port, log level and communities come first
 */
record EffectiveBgp(
    BgpInputs inputs, BgpNode own, BgpConfiguration global, BgpConfiguration local) {
  /** A priority and the local preference that stands for it add up to this. */
  static final long PRIORITY_AND_PREFERENCE = Integer.MAX_VALUE;

  private static final long DEFAULT_AS = 64512;

  static EffectiveBgp of(BgpInputs inputs, BgpNode own) {
    WatchedCluster view = inputs.view();
    return new EffectiveBgp(
        inputs,
        own,
        configuration(view, BgpConfiguration.DEFAULT),
        configuration(view, BgpConfiguration.nameOf(own.name())));
  }

  private static BgpConfiguration configuration(WatchedCluster view, String name) {
    return view.bgpConfigurations().getOrDefault(name, BgpConfiguration.EMPTY);
  }

  WatchedCluster view() {
    return inputs.view();
  }

  AgentConfig config() {
    return inputs.config();
  }

  /** The node's own, else the cluster's. */
  long asNumber(BgpNode node) {
    Long number = node.asNumber() != null ? node.asNumber() : global.asNumber();
    return number == null ? DEFAULT_AS : number;
  }

  long ownAs() {
    return asNumber(own);
  }

  /** The port that a node listens on; 0 for the usual one. */
  int port(String node) {
    int port = configuration(view(), BgpConfiguration.nameOf(node)).port();
    return port != 0 ? port : global.port();
  }

  /** The node's address, if it speaks BGP in the family. */
  Optional<IpAddress> address(IpFamily family) {
    return family == IpFamily.V6 && !config().ipv6Support()
        ? Optional.empty()
        : own.address(family);
  }

  List<IpFamily> families() {
    return Stream.of(IpFamily.values()).filter(family -> address(family).isPresent()).toList();
  }

  boolean isMesh() {
    return !Boolean.FALSE.equals(global.mesh());
  }

  /** The metric of an ordinary route. */
  long normalPriority(IpFamily family) {
    int given = family == IpFamily.V4 ? global.normalPriorityV4() : global.normalPriorityV6();
    if (given != 0) {
      return given;
    }
    return family == IpFamily.V4
        ? config().ipv4NormalRoutePriority()
        : config().ipv6NormalRoutePriority();
  }

  String logSeverity() {
    return Stream.of(inputs.settings().logSeverity(), local.logSeverity(), global.logSeverity())
        .filter(level -> !level.isEmpty())
        .findFirst()
        .orElse("info");
  }

  /** The node that has an address. */
  Optional<BgpNode> nodeAt(IpAddress address) {
    IpFamily family = IpFamily.of(address);
    return view().bgpNodes().values().stream()
        .filter(node -> node.address(family).filter(address::equals).isPresent())
        .findFirst();
  }

  boolean isOwn(BgpNode node) {
    return node.name().equals(own.name());
  }
}

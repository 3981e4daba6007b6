package io.ocicat.agent.bgp;

import io.ocicat.agent.config.AgentConfig.ClusterRoutes;
import io.ocicat.agent.view.BgpNode;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the view alone shows to be wrong, although every object is valid. */
final class BgpHints {
  private static final int LARGE_MESH = 100;

  private BgpHints() {}

  static void add(
      EffectiveBgp bgp,
      IpAddress routerId,
      List<PeerSession> sessions,
      Collection<String> problems) {
    noPeers(bgp, sessions, problems);
    largeMesh(bgp, sessions, problems);
    duplicateAddresses(bgp, problems);
    routerIds(bgp, routerId, problems);
    clusterRoutes(bgp, problems);
    priorities(bgp, problems);
    objects(bgp, problems);
  }

  private static void noPeers(
      EffectiveBgp bgp, List<PeerSession> sessions, Collection<String> problems) {
    boolean others = bgp.view().bgpNodes().size() > 1;
    if (!others || !sessions.isEmpty()) {
      return;
    }
    if (!bgp.isMesh()) {
      problems.add(
          "this node has no BGP peer: nodeToNodeMeshEnabled of BGPConfiguration default is false"
              + " and no BGPPeer applies to the node; create one, or turn the mesh on");
    } else if (bgp.own().isReflector()) {
      problems.add(
          "this node has no BGP peer: as a route reflector it is not in the mesh, and no BGPPeer"
              + " applies to it; create one that selects route reflectors as peers");
    }
  }

  private static void largeMesh(
      EffectiveBgp bgp, List<PeerSession> sessions, Collection<String> problems) {
    long peers =
        sessions.stream()
            .filter(session -> session.type() == ExpectedSession.Type.NODE_MESH)
            .filter(session -> session.family() == bgp.families().getFirst())
            .count();
    if (peers >= LARGE_MESH) {
      problems.add(
          "the full mesh has %d nodes, and every node a session with every other: use route"
                  .formatted(peers + 1)
              + " reflectors (routeReflectorClusterID of Node, a BGPPeer that selects them)");
    }
  }

  private static void duplicateAddresses(EffectiveBgp bgp, Collection<String> problems) {
    for (IpFamily family : bgp.families()) {
      Map<IpAddress, String> known = new HashMap<>();
      for (BgpNode node : bgp.view().bgpNodes().values()) {
        node.address(family)
            .ifPresent(
                address -> {
                  String other = known.putIfAbsent(address, node.name());
                  if (other != null) {
                    problems.add(
                        "nodes %s and %s have the same address %s: correct one of them"
                            .formatted(other, node.name(), address));
                  }
                });
      }
    }
  }

  /** What is configured on other nodes is not known: they are expected to be like this one. */
  private static void routerIds(EffectiveBgp bgp, IpAddress routerId, Collection<String> problems) {
    String configured = bgp.inputs().settings().routerId();
    for (BgpNode node : bgp.view().bgpNodes().values()) {
      boolean same =
          !bgp.isOwn(node)
              && RouterId.of(node, configured.equals("hash") ? configured : "", Set.of())
                  .equals(routerId)
              && !node.address(IpFamily.V4).equals(bgp.own().address(IpFamily.V4));
      if (same) {
        problems.add(
            "this node has the router id %s, as node %s does: set CALICO_ROUTER_ID of one of them"
                .formatted(routerId, node.name()));
      }
    }
  }

  private static void clusterRoutes(EffectiveBgp bgp, Collection<String> problems) {
    ClusterRoutes birds = bgp.global().programClusterRoutes();
    boolean agentDoes =
        switch (bgp.config().programClusterRoutes()) {
          case ENABLED, NO_ENCAP_ONLY -> true;
          case DISABLED, IPIP_ONLY -> false;
        };
    boolean birdDoes = birds != ClusterRoutes.DISABLED && birds != ClusterRoutes.IPIP_ONLY;
    Collection<IpPool> pools = bgp.view().pools();
    boolean plain =
        pools.stream()
            .anyMatch(
                pool -> pool.ipip() == IpPool.Tunnel.NEVER && pool.vxlan() == IpPool.Tunnel.NEVER);
    if (plain && !agentDoes && !birdDoes) {
      problems.add(
          "nobody programs the routes of pools without encapsulation: programClusterRoutes excludes"
              + " them in BGPConfiguration default and in FelixConfiguration; enable one");
    }
    if (plain && agentDoes && birds != null && birdDoes) {
      problems.add(
          "programClusterRoutes includes pools without encapsulation in BGPConfiguration default"
              + " and in FelixConfiguration: the agent programs their routes, BIRD does not");
    }
    boolean birdIpip = birds == ClusterRoutes.ENABLED || birds == ClusterRoutes.IPIP_ONLY;
    boolean agentIpip =
        switch (bgp.config().programClusterRoutes()) {
          case ENABLED, IPIP_ONLY -> true;
          case DISABLED, NO_ENCAP_ONLY -> false;
        };
    boolean ipip = pools.stream().anyMatch(pool -> pool.ipip() != IpPool.Tunnel.NEVER);
    if (ipip && !agentIpip) {
      problems.add(
          "nobody programs the routes of pools with IPIP, which BIRD 2 cannot do: set"
              + " programClusterRoutes of FelixConfiguration to Enabled or EnabledIPIPOnly");
    } else if (ipip && birdIpip) {
      problems.add(
          "programClusterRoutes of BGPConfiguration default includes pools with IPIP, which BIRD 2"
              + " cannot do: the agent programs their routes");
    }
  }

  private static void priorities(EffectiveBgp bgp, Collection<String> problems) {
    for (IpFamily family : bgp.families()) {
      boolean v4 = family == IpFamily.V4;
      long felix =
          v4 ? bgp.config().ipv4NormalRoutePriority() : bgp.config().ipv6NormalRoutePriority();
      if (bgp.normalPriority(family) != felix) {
        problems.add(
            "%s is %d in BGPConfiguration default and %d in FelixConfiguration: routes of workloads"
                    .formatted(
                        v4 ? "ipv4NormalRoutePriority" : "ipv6NormalRoutePriority",
                        bgp.normalPriority(family),
                        felix)
                + " are not aggregated as they should be; make them equal");
      }
    }
  }

  private static void objects(EffectiveBgp bgp, Collection<String> problems) {
    bgp.global()
        .problems()
        .forEach(why -> problems.add("BGPConfiguration default: " + why + ": correct it"));
    bgp.local()
        .problems()
        .forEach(
            why ->
                problems.add(
                    "BGPConfiguration node.%s: %s: correct it".formatted(bgp.own().name(), why)));
  }
}

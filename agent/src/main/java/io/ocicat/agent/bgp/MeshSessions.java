package io.ocicat.agent.bgp;

import io.ocicat.agent.view.BgpConfiguration;
import io.ocicat.agent.view.BgpNode;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The full mesh: a session per family with every other node, except route reflectors. Of two nodes
 * the one whose address is greater as text connects, which mixed clusters rely on.
 */
final class MeshSessions {
  private MeshSessions() {}

  /**
   * The sessions of the mesh.
   *
   * @param explicit the peers that BGPPeers name: two sessions with one peer would only end each
   *     other
   */
  static List<PeerSession> of(
      EffectiveBgp bgp,
      SessionPasswords passwords,
      Set<IpAddress> explicit,
      Collection<String> problems) {
    List<PeerSession> sessions = new ArrayList<>();
    if (!bgp.isMesh() || bgp.own().isReflector()) {
      return sessions;
    }
    BgpConfiguration global = bgp.global();
    SessionPasswords.Password password =
        passwords.of(global.meshPassword(), "nodeMeshPassword of BGPConfiguration default");
    long restartTime =
        SessionTimes.restart(
            global.meshMaxRestartTime(),
            "nodeMeshMaxRestartTime of BGPConfiguration default",
            problems);
    for (IpFamily family : bgp.families()) {
      IpAddress own = bgp.address(family).orElseThrow();
      Map<IpAddress, String> known = new HashMap<>();
      for (BgpNode node : bgp.view().bgpNodes().values()) {
        IpAddress peer = node.address(family).orElse(null);
        if (peer == null || node.isReflector() || peer.equals(own)) {
          continue;
        }
        String other = known.putIfAbsent(peer, node.name());
        if (other != null || explicit.contains(peer) || !PeerAddresses.isUsable(peer)) {
          continue;
        }
        sessions.add(
            new PeerSession(
                ExpectedSession.Type.NODE_MESH,
                peer,
                bgp.port(node.name()),
                bgp.asNumber(node),
                bgp.ownAs(),
                own,
                PeerAddresses.waitsFor(peer, own),
                0,
                password.text(),
                !password.usable(),
                restartTime,
                0,
                0,
                PeerSession.NextHop.USUAL,
                "",
                List.of(),
                null,
                "node " + node.name()));
      }
    }
    return sessions;
  }
}

package io.ocicat.agent.bgp;

import io.ocicat.agent.view.BgpNode;
import io.ocicat.agent.view.BgpPeer;
import io.ocicat.agent.view.LocalEndpoint;
import io.ocicat.datastore.selector.Selector;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that BGPPeers ask for: first those of every node, then those of this node, then the
 * reverse ones, which a node has because it is the peer of others. Of several BGPPeers for one peer
 * the first by name wins.
 */
final class ExplicitSessions {
  private final EffectiveBgp bgp;
  private final SessionPasswords passwords;
  private final Collection<String> problems;
  private final Map<String, PeerSession> sessions = new TreeMap<>();
  private final Map<String, String> owners = new HashMap<>();
  private final Set<Endpoint> taken = new HashSet<>();

  /** A peer's address and port. */
  private record Endpoint(IpAddress address, int port) {}

  /** The other side of a session. */
  private record Remote(
      IpAddress address, int port, long asNumber, String clusterId, boolean connectsByText) {}

  private ExplicitSessions(
      EffectiveBgp bgp, SessionPasswords passwords, Collection<String> problems) {
    this.bgp = bgp;
    this.passwords = passwords;
    this.problems = problems;
  }

  static List<PeerSession> of(
      EffectiveBgp bgp, SessionPasswords passwords, Collection<String> problems) {
    ExplicitSessions explicit = new ExplicitSessions(bgp, passwords, problems);
    Collection<BgpPeer> peers = bgp.view().bgpPeers().values();
    peers.stream()
        .filter(BgpPeer::isGlobal)
        .forEach(peer -> explicit.forward(peer, ExpectedSession.Type.GLOBAL_PEER));
    peers.stream()
        .filter(peer -> !peer.isGlobal() && peer.isOf(bgp.own().name(), bgp.own().labels()))
        .forEach(peer -> explicit.forward(peer, ExpectedSession.Type.NODE_PEER));
    peers.stream().filter(BgpPeer::reversed).forEach(explicit::reverse);
    return List.copyOf(explicit.sessions.values());
  }

  private void forward(BgpPeer peer, ExpectedSession.Type type) {
    Selector nodes = peer.peerSelector();
    Selector workloads = peer.workloadSelector();
    IpAddress address = peer.peerIp();
    if (nodes != null) {
      for (BgpNode node : bgp.view().bgpNodes().values()) {
        if (!bgp.isOwn(node) && nodes.matches(node.labels())) {
          remotes(node).forEach(remote -> put(peer, type, remote, bgp.ownAs()));
        }
      }
    } else if (workloads != null) {
      workloads(peer, workloads);
    } else if (address != null) {
      remote(peer, address).ifPresent(remote -> put(peer, type, remote, localAs(peer)));
    } else {
      problem(peer, "is not used: set peerIP, peerSelector or localWorkloadSelector");
    }
  }

  private long localAs(BgpPeer peer) {
    return peer.localAsNumber() == null ? bgp.ownAs() : peer.localAsNumber();
  }

  /** A node as the peer, once per family that both have. */
  private List<Remote> remotes(BgpNode node) {
    return bgp.families().stream()
        .flatMap(family -> node.address(family).stream())
        .map(
            address ->
                new Remote(
                    address, bgp.port(node.name()), bgp.asNumber(node), node.clusterId(), false))
        .toList();
  }

  private Optional<Remote> remote(BgpPeer peer, IpAddress address) {
    IpFamily family = IpFamily.of(address);
    IpAddress own = bgp.address(family).orElse(null);
    if (own == null) {
      if (!peer.isGlobal()) {
        problem(peer, "is not used: this node has no %s address".formatted(family));
      }
      return Optional.empty();
    }
    if (address.equals(own)) {
      return Optional.empty();
    }
    IpAddress gateway = peer.reachableBy();
    if (gateway != null && gateway.isV4() != address.isV4()) {
      problem(peer, "is not used: reachableBy %s is not of peerIP's family".formatted(gateway));
      return Optional.empty();
    }
    if (gateway != null && !PeerAddresses.isUsable(gateway)) {
      problem(peer, "is not used: reachableBy %s cannot be a gateway".formatted(gateway));
      return Optional.empty();
    }
    BgpNode node = bgp.nodeAt(address).orElse(null);
    Long asNumber =
        peer.asNumber() != null ? peer.asNumber() : node == null ? null : bgp.asNumber(node);
    if (asNumber == null) {
      problem(peer, "is not used: set asNumber, the AS number of %s".formatted(address));
      return Optional.empty();
    }
    int port = peer.port();
    if (port == 0 && node != null && bgp.asNumber(node) == asNumber) {
      port = bgp.port(node.name());
    }
    return Optional.of(
        new Remote(address, port, asNumber, node == null ? "" : node.clusterId(), node != null));
  }

  /** Each workload has one BGPPeer, and a session for its first address of each family. */
  private void workloads(BgpPeer peer, Selector selector) {
    Long asNumber = peer.asNumber();
    if (asNumber == null) {
      problem(peer, "is not used: localWorkloadSelector needs asNumber");
      return;
    }
    bgp.view().endpoints().values().stream()
        .filter(endpoint -> selector.matches(endpoint.labels()))
        .sorted(Comparator.comparing(endpoint -> endpoint.key().toString()))
        .map(LocalEndpoint::networks)
        .forEach(
            networks ->
                bgp.families().stream()
                    .flatMap(family -> first(networks, family).stream())
                    .forEach(
                        address ->
                            put(
                                peer,
                                ExpectedSession.Type.LOCAL_WORKLOAD,
                                new Remote(address, 0, asNumber, "", false),
                                localAs(peer))));
  }

  private static Optional<IpAddress> first(List<IpPrefix> networks, IpFamily family) {
    return networks.stream()
        .map(IpPrefix::address)
        .filter(address -> IpFamily.of(address) == family)
        .findFirst();
  }

  /** Sessions with the nodes that have this node as their peer. */
  private void reverse(BgpPeer peer) {
    if (peer.workloadSelector() != null) {
      return;
    }
    for (IpFamily family : reverseFamilies(peer)) {
      for (BgpNode node : bgp.view().bgpNodes().values()) {
        if (bgp.isOwn(node) || !peer.isOf(node.name(), node.labels())) {
          continue;
        }
        // To its peer by address, the other side may show another AS number than its own.
        Long shown = peer.peerIp() == null ? null : peer.localAsNumber();
        remotes(node).stream()
            .filter(remote -> IpFamily.of(remote.address()) == family)
            .map(
                remote ->
                    new Remote(
                        remote.address(),
                        remote.port(),
                        shown == null ? remote.asNumber() : shown,
                        remote.clusterId(),
                        false))
            .filter(remote -> !taken.contains(new Endpoint(remote.address(), remote.port())))
            .forEach(remote -> put(peer, null, remote, bgp.ownAs()));
      }
    }
  }

  /** The families in which this node is on the remote side. */
  private List<IpFamily> reverseFamilies(BgpPeer peer) {
    Selector selector = peer.peerSelector();
    if (selector != null) {
      return selector.matches(bgp.own().labels()) ? bgp.families() : List.of();
    }
    IpAddress address = peer.peerIp();
    int port = bgp.port(bgp.own().name());
    boolean isUs =
        address != null
            && bgp.address(IpFamily.of(address)).filter(address::equals).isPresent()
            && (peer.asNumber() == null || peer.asNumber() == bgp.ownAs())
            && (peer.port() == 0 || peer.port() == (port == 0 ? BirdText.USUAL_PORT : port));
    return isUs && address != null ? List.of(IpFamily.of(address)) : List.of();
  }

  /**
   * Adds a session, unless the peer has one.
   *
   * @param type null for a reverse session
   */
  private void put(BgpPeer peer, ExpectedSession.@Nullable Type type, Remote remote, long localAs) {
    ExpectedSession.Type kind = type == null ? ExpectedSession.Type.NODE_PEER : type;
    if (!PeerAddresses.isUsable(remote.address())) {
      problem(peer, "is not used: %s cannot be a peer's address".formatted(remote.address()));
      return;
    }
    PeerSession session = session(peer, type, kind, remote, localAs);
    boolean isNew = taken.add(new Endpoint(remote.address(), remote.port()));
    if (isNew) {
      sessions.put(session.name(), session);
      owners.put(session.name(), peer.name());
    } else if (kind != ExpectedSession.Type.NODE_PEER || type != null) {
      problem(
          peer,
          "has no session with %s: BGPPeer %s has one already; delete one of them"
              .formatted(remote.address(), ownerOf(remote)));
    }
  }

  private String ownerOf(Remote remote) {
    return sessions.values().stream()
        .filter(
            session -> session.peer().equals(remote.address()) && session.port() == remote.port())
        .map(session -> owners.getOrDefault(session.name(), ""))
        .findFirst()
        .orElse("");
  }

  private PeerSession session(
      BgpPeer peer,
      ExpectedSession.@Nullable Type type,
      ExpectedSession.Type kind,
      Remote remote,
      long localAs) {
    boolean workload = kind == ExpectedSession.Type.LOCAL_WORKLOAD;
    boolean internal = remote.asNumber() == localAs;
    IpAddress own = bgp.address(IpFamily.of(remote.address())).orElseThrow();
    SessionPasswords.Password password =
        workload
            ? SessionPasswords.Password.NONE
            : passwords.of(peer.password(), "BGPPeer " + peer.name());
    return new PeerSession(
        kind,
        remote.address(),
        remote.port(),
        remote.asNumber(),
        localAs,
        source(peer, workload, own),
        workload
            || (kind == ExpectedSession.Type.GLOBAL_PEER
                && remote.connectsByText()
                && PeerAddresses.waitsFor(remote.address(), own)),
        workload ? 0 : peer.ttlSecurity(),
        password.text(),
        !password.usable(),
        SessionTimes.restart(peer.maxRestartTime(), times(peer, "maxRestartTime"), problems),
        SessionTimes.keepalive(peer.keepaliveTime(), times(peer, "keepaliveTime"), problems),
        type == null ? 0 : peer.allowedLocalAs(),
        switch (peer.nextHop()) {
          case AUTO -> PeerSession.NextHop.USUAL;
          case SELF -> PeerSession.NextHop.SELF;
          case KEEP -> PeerSession.NextHop.KEEP;
          case KEEP_EXTERNAL -> internal ? PeerSession.NextHop.USUAL : PeerSession.NextHop.KEEP;
        },
        internal ? clusterId(remote) : "",
        filters(peer),
        type == null || workload ? null : peer.reachableBy(),
        "BGPPeer " + peer.name());
  }

  private static String times(BgpPeer peer, String field) {
    return "BGPPeer %s: %s".formatted(peer.name(), field);
  }

  /** With all sessions on one address, BIRD cannot have one that listens on every address. */
  private @Nullable IpAddress source(BgpPeer peer, boolean workload, IpAddress own) {
    boolean any = workload || !peer.usesNodeAddress();
    if (any && bgp.global().bindsNodeAddress()) {
      problem(
          peer,
          "uses %s as its source address, because bindMode of BGPConfiguration default is NodeIP"
              .formatted(own));
      return own;
    }
    return any ? null : own;
  }

  /** Our cluster id, if the peer is our client. */
  private String clusterId(Remote remote) {
    String own = bgp.own().clusterId();
    if (own.isEmpty() || own.equals(remote.clusterId())) {
      return "";
    }
    if (IpAddress.tryParse(own).filter(IpAddress::isV4).isEmpty()) {
      problems.add(
          "Node %s: routeReflectorClusterID must be written as an IPv4 address, not \"%s\": the node"
                  .formatted(bgp.own().name(), own)
              + " reflects no routes");
      return "";
    }
    return own;
  }

  private List<String> filters(BgpPeer peer) {
    return peer.filters().stream()
        .distinct()
        .filter(
            name -> {
              boolean exists = bgp.view().bgpFilters().containsKey(name);
              if (!exists) {
                problem(
                    peer,
                    "works without BGPFilter %s, which does not exist: create it".formatted(name));
              }
              return exists;
            })
        .toList();
  }

  private void problem(BgpPeer peer, String what) {
    problems.add("BGPPeer %s %s".formatted(peer.name(), what));
  }
}

package io.ocicat.agent.bird;

import io.ocicat.base.json.Json;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes what BIRD says in the form of a CalicoNodeStatus. */
final class NodeStatusDocument {
  private static final String NOT_AVAILABLE = "N/A";

  private NodeStatusDocument() {}

  /**
   * The status of a node whose BIRD answers.
   *
   * @param classes of {@code Agent}, {@code BGP} and {@code Routes} those to include
   */
  static ObjectNode of(BirdControl bird, Set<String> classes) {
    ObjectNode status = Json.object();
    if (classes.contains("Agent")) {
      BirdDaemon daemon = bird.daemon();
      ObjectNode agent = status.putObject("agent");
      // One daemon serves both families, where Calico has two.
      put(daemon, agent.putObject("birdV4"));
      put(daemon, agent.putObject("birdV6"));
    }
    if (classes.contains("BGP")) {
      put(BgpSession.among(bird.protocolsInDetail()), status.putObject("bgp"));
    }
    if (classes.contains("Routes")) {
      ObjectNode routes = status.putObject("routes");
      ArrayNode ipv4 = routes.putArray("routesV4");
      ArrayNode ipv6 = routes.putArray("routesV6");
      bird.routes().forEach(route -> put(route, (route.isIpv6() ? ipv6 : ipv4).addObject()));
    }
    return status;
  }

  /** The status of a node whose BIRD does not answer. */
  static ObjectNode notReady(Set<String> classes) {
    ObjectNode status = Json.object();
    if (classes.contains("Agent")) {
      ObjectNode agent = status.putObject("agent");
      agent.putObject("birdV4").put("state", "NotReady");
      agent.putObject("birdV6").put("state", "NotReady");
    }
    if (classes.contains("BGP")) {
      put(List.of(), status.putObject("bgp"));
    }
    if (classes.contains("Routes")) {
      status.putObject("routes");
    }
    return status;
  }

  private static void put(BirdDaemon daemon, ObjectNode json) {
    json.put("state", "Ready");
    json.put("version", daemon.version());
    json.put("routerID", daemon.routerId());
    json.put("lastBootTime", daemon.started());
    json.put("lastReconfigurationTime", daemon.configured());
  }

  private static void put(List<BgpSession> all, ObjectNode json) {
    List<BgpSession> sessions =
        all.stream().filter(session -> !typeOf(session.type()).isEmpty()).toList();
    for (boolean ipv6 : List.of(false, true)) {
      String family = ipv6 ? "V6" : "V4";
      List<BgpSession> ofFamily =
          sessions.stream().filter(session -> session.isIpv6() == ipv6).toList();
      // As Calico counts: by the protocol's state.
      long up = ofFamily.stream().filter(BgpSession::isUp).count();
      json.put("numberEstablished" + family, up);
      json.put("numberNotEstablished" + family, ofFamily.size() - up);
      if (!ofFamily.isEmpty()) {
        ArrayNode peers = json.putArray("peers" + family);
        for (BgpSession session : ofFamily) {
          ObjectNode peer = peers.addObject();
          peer.put("peerIP", session.address());
          peer.put("type", typeOf(session.type()));
          peer.put("state", session.state());
          peer.put("since", session.since());
        }
      }
    }
  }

  /** Empty for sessions that Calico does not report. */
  private static String typeOf(BgpSession.PeerType type) {
    return switch (type) {
      case MESH -> "NodeMesh";
      case NODE -> "NodePeer";
      case GLOBAL -> "GlobalPeer";
      case LOCAL_WORKLOAD, OTHER -> "";
    };
  }

  private static void put(BirdRoute route, ObjectNode json) {
    json.put("type", route.isBest() ? "FIB" : "RIB");
    json.put("destination", route.destination());
    json.put("gateway", route.gateway().isEmpty() ? NOT_AVAILABLE : route.gateway());
    json.put("interface", route.device().isEmpty() ? route.type() : route.device());
    ObjectNode learnedFrom = json.putObject("learnedFrom");
    String protocol = route.protocol();
    if (protocol.startsWith("kernel")) {
      learnedFrom.put("sourceType", "Kernel");
    } else if (protocol.startsWith("static")) {
      learnedFrom.put("sourceType", "Static");
    } else if (protocol.startsWith("direct")) {
      learnedFrom.put("sourceType", "Direct");
    } else {
      boolean mesh = BgpSession.typeIn(protocol) == BgpSession.PeerType.MESH;
      learnedFrom.put("sourceType", mesh ? "NodeMesh" : "BGPPeer");
      BgpSession.addressIn(protocol).ifPresent(address -> learnedFrom.put("peerIP", address));
    }
  }
}

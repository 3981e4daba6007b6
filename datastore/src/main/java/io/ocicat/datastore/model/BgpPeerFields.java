package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.duration;
import static io.ocicat.datastore.model.Shape.flag;
import static io.ocicat.datastore.model.Shape.struct;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;
import static io.ocicat.datastore.model.Shape.whole;

import io.ocicat.base.json.Problems;
import io.ocicat.ip.IpAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/** The schema of BGPPeer: the peers that a node speaks BGP with. */
final class BgpPeerFields {
  private static final int MAX_PORT = 65535;
  private static final Pattern WITH_PORT =
      Pattern.compile("(\\d+\\.\\d+\\.\\d+\\.\\d+):(\\d+)|\\[([0-9a-fA-F:.]+)\\]:(\\d+)");

  private static final ValueLimit ADDRESS_AND_PORT =
      ValueRules.parsing("ip and port", BgpPeerFields::addressWithPort);

  static final Shape.Struct SPEC =
      new Shape.Struct(
              text("node", "The one node that has this peer.").max(253).is(ValueRules.NAME),
              text("nodeSelector", "The nodes that have this peer.")
                  .max(1024)
                  .is(ValueRules.SELECTOR),
              text("peerIP", "The peer's address, with a port as in 192.0.2.1:179.")
                  .max(64)
                  .is(ADDRESS_AND_PORT),
              BgpFields.asNumber("asNumber", "The peer's AS number."),
              BgpFields.asNumber("localASNumber", "Our AS number towards this peer.").ifPresent(),
              text("peerSelector", "The nodes that are the peers.")
                  .max(1024)
                  .is(ValueRules.SELECTOR),
              flag("keepOriginalNextHop", "Deprecated: nextHopMode Keep."),
              text("nextHopMode", "Which next hop is advertised to the peer.")
                  .in("Auto", "Self", "Keep")
                  .ifPresent(),
              struct("password", "The password of the session.", BgpFields.PASSWORD),
              text("sourceAddress", "The source address of the session.").in("UseNodeIP", "None"),
              duration("maxRestartTime", "How long routes are kept while the peer restarts."),
              duration("keepaliveTime", "The keepalive interval of the session."),
              whole(
                      "numAllowedLocalASNumbers",
                      "How often our own AS may be in a path.",
                      0x8000_0000,
                      0x7fff_ffff)
                  .ifPresent(),
              whole("ttlSecurity", "How many hops away the peer may be.", 0, 255).ifPresent(),
              text("reachableBy", "The gateway to the peer.").max(64).is(ValueRules.IP),
              texts("filters", "The BGPFilters for routes of this peer.").is(ValueRules.NAME),
              text("localWorkloadSelector", "The workloads of this node that are the peers.")
                  .max(1024)
                  .is(ValueRules.SELECTOR),
              text("reversePeering", "Whether selected nodes peer back.")
                  .in("Auto", "Manual")
                  .ifPresent())
          .where(
              FieldRule.notBoth("node", "nodeSelector"),
              FieldRule.notBoth("peerIP", "peerSelector"),
              FieldRule.notBoth("peerSelector", "asNumber"),
              FieldRule.needs("localWorkloadSelector", "asNumber"),
              FieldRule.notBoth("localWorkloadSelector", "peerIP"),
              FieldRule.notBoth("localWorkloadSelector", "peerSelector"),
              FieldRule.needs("reachableBy", "peerIP"),
              FieldRule.notBoth("nextHopMode", "keepOriginalNextHop"))
          .where(
              "reachableBy and peerIP are of one IP version.",
              "!({reachableBy} && {peerIP}) || self.reachableBy.matches('^[0-9]+[.]') =="
                  + " self.peerIP.matches('^[0-9]+[.]')",
              BgpPeerFields::oneVersion);

  private BgpPeerFields() {}

  private static void oneVersion(ObjectNode spec, String path, Problems problems) {
    if (FieldRule.isSet(spec, "reachableBy") && FieldRule.isSet(spec, "peerIP")) {
      IpAddress gateway = IpAddress.parse(spec.path("reachableBy").stringValue());
      IpAddress peer = addressWithPort(spec.path("peerIP").stringValue());
      if (gateway.isV4() != peer.isV4()) {
        problems.add(path + ".reachableBy", "must be of the IP version of peerIP, " + peer);
      }
    }
  }

  private static IpAddress addressWithPort(String text) {
    Matcher parts = WITH_PORT.matcher(text);
    if (!parts.matches()) {
      return IpAddress.parse(text);
    }
    boolean v4 = parts.group(1) != null;
    String port = parts.group(v4 ? 2 : 4);
    if (port.length() > 5 || Integer.parseInt(port) < 1 || Integer.parseInt(port) > MAX_PORT) {
      throw new IllegalArgumentException("must have a port of 1–65535, not " + port);
    }
    return IpAddress.parse(parts.group(v4 ? 1 : 3));
  }
}

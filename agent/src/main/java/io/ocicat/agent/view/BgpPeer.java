package io.ocicat.agent.view;

import io.ocicat.base.Quoted;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.selector.Selector;
import io.ocicat.ip.IpAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A BGPPeer: which nodes have sessions with whom, and how.
 *
 * @param node the one node that has the peer; empty when it is not the only one
 * @param nodeSelector the nodes that have it; null without one
 * @param peerIp the peer's address; null when the peers are selected
 * @param port the peer's port; 0 when it is not given
 * @param peerSelector the nodes that are the peers
 * @param workloadSelector the workloads on the node that are the peers
 * @param allowedLocalAs how often our own AS may be in a path
 * @param ttlSecurity at how many hops the peer may be; 0 when that is not checked
 * @param usesNodeAddress whether the node's address is the source of the session
 * @param reversed whether the remote nodes get sessions, too
 */
public record BgpPeer(
    String name,
    String node,
    @Nullable Selector nodeSelector,
    @Nullable IpAddress peerIp,
    int port,
    @Nullable Selector peerSelector,
    @Nullable Selector workloadSelector,
    @Nullable Long asNumber,
    @Nullable Long localAsNumber,
    NextHop nextHop,
    @Nullable SecretEntry password,
    boolean usesNodeAddress,
    @Nullable Duration maxRestartTime,
    @Nullable Duration keepaliveTime,
    int allowedLocalAs,
    int ttlSecurity,
    @Nullable IpAddress reachableBy,
    List<String> filters,
    boolean reversed) {
  private static final int MAX_PORT = 65535;
  private static final int MAX_HOPS = 255;
  private static final Pattern WITH_PORT =
      Pattern.compile("(\\d+\\.\\d+\\.\\d+\\.\\d+):(\\d{1,5})|\\[([0-9a-fA-F:.]+)\\]:(\\d{1,5})");

  /** The next hop of the routes that the peer gets. */
  public enum NextHop {
    AUTO,
    SELF,
    KEEP,
    /** Kept, but only if the peer is in another AS. */
    KEEP_EXTERNAL
  }

  public BgpPeer {
    filters = List.copyOf(filters);
  }

  static BgpPeer of(Resource resource) {
    return BgpValues.read(resource, spec -> read(resource.key().name(), spec));
  }

  private static BgpPeer read(String name, JsonNode spec) {
    String peer = BgpValues.text(spec, "peerIP");
    Matcher parts = WITH_PORT.matcher(peer);
    boolean withPort = parts.matches();
    int port = 0;
    IpAddress address = null;
    if (withPort) {
      boolean v4 = parts.group(1) != null;
      peer = parts.group(v4 ? 1 : 3);
      port = Integer.parseInt(parts.group(v4 ? 2 : 4));
    }
    if (!peer.isEmpty()) {
      address = IpAddress.tryParse(peer).orElse(null);
      if (address == null || (withPort && (port < 1 || port > MAX_PORT))) {
        throw new IllegalArgumentException(
            "peerIP must be an address, perhaps with a port of 1–65535, not "
                + Quoted.brief(BgpValues.text(spec, "peerIP")));
      }
    }
    Integer allowed =
        BgpValues.whole(spec, "numAllowedLocalASNumbers", Integer.MIN_VALUE, Integer.MAX_VALUE);
    Integer hops = BgpValues.whole(spec, "ttlSecurity", 0, MAX_HOPS);
    return new BgpPeer(
        name,
        BgpValues.text(spec, "node"),
        BgpValues.selector(spec, "nodeSelector"),
        address,
        port,
        BgpValues.selector(spec, "peerSelector"),
        BgpValues.selector(spec, "localWorkloadSelector"),
        BgpValues.asNumber(spec, "asNumber"),
        BgpValues.asNumber(spec, "localASNumber"),
        nextHop(spec),
        BgpValues.password(spec, "password"),
        !BgpValues.text(spec, "sourceAddress").equals("None"),
        BgpValues.duration(spec, "maxRestartTime"),
        BgpValues.duration(spec, "keepaliveTime"),
        allowed == null ? 0 : Math.max(0, allowed),
        hops == null ? 0 : hops,
        BgpValues.address(spec, "reachableBy"),
        BgpValues.texts(spec, "filters"),
        !BgpValues.text(spec, "reversePeering").equals("Manual"));
  }

  private static NextHop nextHop(JsonNode spec) {
    return switch (BgpValues.text(spec, "nextHopMode")) {
      case "Self" -> NextHop.SELF;
      case "Keep" -> NextHop.KEEP;
      default ->
          Boolean.TRUE.equals(BgpValues.flag(spec, "keepOriginalNextHop"))
              ? NextHop.KEEP_EXTERNAL
              : NextHop.AUTO;
    };
  }

  /** Whether every node has it. */
  public boolean isGlobal() {
    return node.isEmpty() && nodeSelector == null;
  }

  /** Whether a node has it. */
  public boolean isOf(String nodeName, Map<String, String> labels) {
    if (!node.isEmpty()) {
      return node.equals(nodeName);
    }
    return nodeSelector == null || nodeSelector.matches(labels);
  }
}

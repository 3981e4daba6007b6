package io.ocicat.agent.bird;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A BGP session of this node.
 *
 * @param name the name of its protocol in BIRD
 * @param address the peer's
 * @param isUp whether the protocol is up, which Calico counts as established
 * @param state BGP's, such as {@code Established}; {@code Down} while BIRD does not try
 * @param since when the protocol came to its state, as BIRD prints it
 * @param info why it is not established, if BIRD knows
 * @param imported routes accepted from the peer, if asked for
 * @param exported routes announced to the peer, if asked for
 */
public record BgpSession(
    String name,
    PeerType type,
    String address,
    boolean isUp,
    String state,
    String since,
    String info,
    long imported,
    long exported) {
  private static final String ESTABLISHED = "Established";
  private static final Pattern NAME =
      Pattern.compile("(?<type>Mesh|Global|Node|Local_Workload)_(?<address>.+?)(_port_\\d+)?");
  private static final Pattern IPV4 = Pattern.compile("\\d+_\\d+_\\d+_\\d+");

  /** Why the node has the session. */
  public enum PeerType {
    MESH("node-to-node mesh"),
    NODE("node specific"),
    GLOBAL("global"),
    LOCAL_WORKLOAD("local workload"),
    OTHER("other");

    private final String words;

    PeerType(String words) {
      this.words = words;
    }

    /** As {@code calicoctl node status} prints it. */
    @Override
    public String toString() {
      return words;
    }

    private static PeerType ofPrefix(String prefix) {
      return switch (prefix) {
        case "Mesh" -> MESH;
        case "Node" -> NODE;
        case "Global" -> GLOBAL;
        default -> LOCAL_WORKLOAD;
      };
    }
  }

  /** The BGP sessions among BIRD's protocols. */
  public static List<BgpSession> among(List<BirdProtocol> protocols) {
    return protocols.stream()
        .filter(protocol -> protocol.proto().equals("BGP"))
        .map(BgpSession::of)
        .toList();
  }

  private static BgpSession of(BirdProtocol protocol) {
    String info = protocol.info();
    boolean stateless = info.isEmpty() || protocol.state().equals("down");
    String state = stateless ? "Down" : info.split("\\s+", 2)[0];
    String reason = stateless ? info : info.substring(state.length()).strip();
    return new BgpSession(
        protocol.name(),
        typeIn(protocol.name()),
        protocol.details().getOrDefault("Neighbor address", addressIn(protocol.name()).orElse("")),
        protocol.state().equals("up"),
        protocol.details().getOrDefault("BGP state", state),
        protocol.since(),
        reason.isEmpty() ? protocol.details().getOrDefault("Last error", "") : reason,
        protocol.channels().stream().mapToLong(BirdProtocol.Channel::imported).sum(),
        protocol.channels().stream().mapToLong(BirdProtocol.Channel::exported).sum());
  }

  /** The peer's address, out of the name of a protocol that is named as Calico names it. */
  static Optional<String> addressIn(String protocol) {
    Matcher name = NAME.matcher(protocol);
    if (!name.matches()) {
      return Optional.empty();
    }
    String address = name.group("address");
    return Optional.of(address.replace('_', IPV4.matcher(address).matches() ? '.' : ':'));
  }

  /** The type of the peer, out of the name of its protocol. */
  static PeerType typeIn(String protocol) {
    Matcher name = NAME.matcher(protocol);
    return name.matches() ? PeerType.ofPrefix(name.group("type")) : PeerType.OTHER;
  }

  public boolean isEstablished() {
    return state.equals(ESTABLISHED);
  }

  public boolean isIpv6() {
    return address.indexOf(':') >= 0;
  }

  /** What may be wrong and what to do, where the state gives it away. */
  public Optional<String> hint() {
    if (isEstablished()) {
      return Optional.empty();
    }
    return Optional.ofNullable(
        switch (info) {
          case "BGP Error: Bad peer AS" ->
              "the peer has another AS number than this node expects: compare asNumber of the"
                  + " BGPPeer or Node with the peer's configuration";
          case "Received: Bad peer AS" ->
              "the peer expects another AS number of this node: compare the peer's configuration"
                  + " with asNumber of the Node or of BGPConfiguration default";
          case "BGP Error: Hold timer expired", "Received: Hold timer expired" ->
              "nothing came from the peer for the hold time: it is down, or a firewall drops TCP"
                  + " port 179";
          case "Error: No listening socket" ->
              "BIRD could not listen at its port: another program has it";
          case "Socket: Connection refused" ->
              "the peer's machine answers, but no BGP speaker listens there";
          case "Socket: No route to host", "Socket: Network is unreachable" ->
              "there is no way to the peer's address: check the address and the host's routes";
          case "" ->
              switch (state) {
                case "Connect", "Active", "Passive" ->
                    "no answer: if this lasts, the peer does not know this node, the passwords"
                        + " differ, or a firewall drops TCP port 179";
                case "Down" -> "the session is turned off";
                default -> null;
              };
          default -> null;
        });
  }
}

package io.ocicat.agent.policy.explain;

import io.ocicat.agent.policy.model.Protocols;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Names of protocols, as rules have them. */
public final class ProtocolNames {
  private static final Map<Integer, String> NAMES =
      Map.of(
          Protocols.ICMP, "ICMP",
          Protocols.TCP, "TCP",
          Protocols.UDP, "UDP",
          Protocols.ICMPV6, "ICMPv6",
          Protocols.SCTP, "SCTP",
          Protocols.UDP_LITE, "UDPLite");

  private ProtocolNames() {}

  public static String of(int protocol) {
    return NAMES.getOrDefault(protocol, Integer.toString(protocol));
  }

  /** By name in any case. */
  public static Optional<Integer> find(String name) {
    return NAMES.entrySet().stream()
        .filter(
            entry ->
                entry.getValue().toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT)))
        .map(Map.Entry::getKey)
        .findFirst();
  }
}

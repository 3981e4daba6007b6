package io.ocicat.cli.policy;

import io.ocicat.agent.filter.FirstPacket;
import io.ocicat.agent.policy.explain.ProtocolNames;
import io.ocicat.agent.policy.model.Protocols;
import io.ocicat.base.Quoted;
import io.ocicat.cli.resource.UsageException;
import io.ocicat.ip.IpAddress;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a flow is made of: {@code 80/tcp}, {@code icmp}, a protocol's number.
 *
 * @param protocol the number in the IP header
 * @param port empty for protocols without ports
 */
record FlowPort(int protocol, OptionalInt port) {
  private static final Pattern PORT = Pattern.compile("(\\d{1,5})(?:/([A-Za-z]+))?");
  private static final int MAX_PORT = 65535;

  static final FlowPort PING = new FlowPort(Protocols.ICMP, OptionalInt.empty());

  static FlowPort of(int protocol, int port) {
    return new FlowPort(protocol, OptionalInt.of(port));
  }

  /**
   * Reads {@code 80/tcp}, {@code 80} (of TCP) or {@code icmp}.
   *
   * @throws UsageException when it is none of them
   */
  static FlowPort parse(String text) {
    Matcher numbered = PORT.matcher(text);
    if (numbered.matches()) {
      int port = Integer.parseInt(numbered.group(1));
      String name = numbered.group(2) == null ? "tcp" : numbered.group(2);
      int protocol = ProtocolNames.find(name).filter(Protocols::hasPorts).orElse(-1);
      if (protocol > 0 && port >= 1 && port <= MAX_PORT) {
        return of(protocol, port);
      }
    } else if (text.equalsIgnoreCase("icmp") || text.equalsIgnoreCase("icmpv6")) {
      return PING;
    }
    throw new UsageException(
        "--port %s is not a port and its protocol, as in 80/tcp, 53/udp, 9/sctp, or icmp"
            .formatted(Quoted.brief(text)));
  }

  /** Without a port it is an echo request, of the family of the addresses. */
  FirstPacket packet(IpAddress source, IpAddress destination) {
    return port.isPresent()
        ? FirstPacket.to(source, destination, protocol, port.getAsInt())
        : FirstPacket.ping(source, destination);
  }

  @Override
  public String toString() {
    return port.isPresent()
        ? "%s port %d".formatted(ProtocolNames.of(protocol), port.getAsInt())
        : "ICMP echo";
  }
}

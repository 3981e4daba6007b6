package io.ocicat.plugins.iptables;

import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.nft.Bytes;
import io.ocicat.netlink.nft.Comparison;
import io.ocicat.netlink.nft.Expression;
import io.ocicat.netlink.nft.InstalledRule;
import io.ocicat.netlink.nft.L4Protocol;
import io.ocicat.netlink.nft.MetaKey;
import io.ocicat.netlink.nft.PayloadHeader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A rule that translates the destination of packets to a host port, if it names the port.
 *
 * @param destination the address of the host; null for all of them
 * @param comment the rule's own; empty for none
 */
public record PortRule(
    L4Protocol protocol, @Nullable IpAddress destination, int port, String comment) {
  private static final String TRANSLATION = "DNAT";
  private static final int DESTINATION_PORT = 2;

  /** The offset of the destination in the packet header, for IPv4 and IPv6. */
  private static final int DESTINATION_4 = 16;

  private static final int DESTINATION_6 = 24;

  private static final Pattern PROTOCOL = Pattern.compile(".* -p (\\S+) .*");
  private static final Pattern PORT = Pattern.compile(".* --dport (\\d{1,5}) .*");
  private static final Pattern DESTINATION = Pattern.compile(".* -d ([0-9a-fA-F.:]+)(?:/\\d+)? .*");

  PortRule withComment(String text) {
    return new PortRule(protocol, destination, port, text);
  }

  /** Parses an nf_tables rule of nft or iptables-nft; empty for any other rule. */
  public static Optional<PortRule> of(InstalledRule rule) {
    @Nullable L4Protocol protocol = null;
    @Nullable IpAddress destination = null;
    OptionalInt port = OptionalInt.empty();
    boolean translates = false;
    @Nullable Expression loaded = null;
    for (Expression expression : rule.expressions()) {
      switch (expression) {
        case Expression.Meta _, Expression.Payload _ -> loaded = expression;
        case Expression.Compare(var _, Comparison comparison, Bytes value)
            when comparison == Comparison.EQ -> {
          byte[] bytes = value.toByteArray();
          if (loaded instanceof Expression.Meta(MetaKey key, var _) && key == MetaKey.L4PROTO) {
            protocol = protocol(bytes[0] & 0xff);
          } else if (loaded
              instanceof Expression.Payload(PayloadHeader header, int at, int length, var _)) {
            if (header == PayloadHeader.TRANSPORT && at == DESTINATION_PORT && length == 2) {
              port = OptionalInt.of(ByteBuffer.wrap(bytes).getShort() & 0xffff);
            } else if (header == PayloadHeader.NETWORK
                && at == (length == 4 ? DESTINATION_4 : DESTINATION_6)
                && (length == 4 || length == 16)) {
              destination = IpAddress.ofBytes(bytes);
            }
          }
        }
        case Expression.Opaque opaque -> {
          translates |= XtMatch.target(opaque).filter(TRANSLATION::equals).isPresent();
          OptionalInt matched =
              XtMatch.of(opaque).map(PortRule::port).orElseGet(OptionalInt::empty);
          port = matched.isPresent() ? matched : port;
        }
        case Expression.Nat _ -> translates = true;
        default -> {}
      }
    }
    return protocol != null && port.isPresent() && translates
        ? Optional.of(new PortRule(protocol, destination, port.getAsInt(), rule.comment()))
        : Optional.empty();
  }

  private static @Nullable L4Protocol protocol(int number) {
    return Arrays.stream(L4Protocol.values())
        .filter(known -> known.number() == number)
        .findFirst()
        .orElse(null);
  }

  /** The single port that an extension matches, from the structures in linux/netfilter/xt_*.h. */
  private static OptionalInt port(XtMatch match) {
    int first =
        switch (match.name()) {
          case "tcp", "udp" -> 4;
          case "sctp" -> 0;
          default -> -1;
        };
    if (first < 0 || match.info().length() < first + 4) {
      return OptionalInt.empty();
    }
    ByteBuffer info = ByteBuffer.wrap(match.info().toByteArray()).order(ByteOrder.nativeOrder());
    int low = info.getShort(first) & 0xffff;
    return low == (info.getShort(first + 2) & 0xffff) ? OptionalInt.of(low) : OptionalInt.empty();
  }

  /** Parses a line of {@code iptables-save}; empty for any other rule. */
  static Optional<PortRule> ofLine(String line) {
    Matcher protocol = PROTOCOL.matcher(line);
    Matcher port = PORT.matcher(line);
    Matcher destination = DESTINATION.matcher(line);
    if (!line.contains(" -j " + TRANSLATION + " ") || !protocol.matches() || !port.matches()) {
      return Optional.empty();
    }
    return List.of(L4Protocol.TCP, L4Protocol.UDP, L4Protocol.SCTP).stream()
        .filter(known -> known.name().equalsIgnoreCase(protocol.group(1)))
        .findFirst()
        .map(
            known ->
                new PortRule(
                    known,
                    destination.matches() ? IpAddress.parse(destination.group(1)) : null,
                    Integer.parseInt(port.group(1)),
                    ""));
  }
}

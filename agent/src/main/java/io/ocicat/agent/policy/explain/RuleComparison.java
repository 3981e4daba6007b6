package io.ocicat.agent.policy.explain;

import io.ocicat.agent.filter.FirstPacket;
import io.ocicat.agent.filter.IcmpMatch;
import io.ocicat.agent.filter.PortRange;
import io.ocicat.agent.policy.model.PolicyMember;
import io.ocicat.agent.policy.model.PolicyRule;
import io.ocicat.agent.policy.model.RulePeer;
import io.ocicat.agent.policy.model.ServiceName;
import io.ocicat.datastore.selector.Selector;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Compares rules with packets, and says in a few words why one does not match. */
final class RuleComparison {
  private final PolicySnapshot snapshot;

  RuleComparison(PolicySnapshot snapshot) {
    this.snapshot = snapshot;
  }

  /** The first criterion that does not hold; empty when all do. */
  Optional<String> mismatch(PolicyRule rule, FirstPacket packet) {
    return header(rule, packet)
        .or(
            () ->
                new Side("source", packet.source(), packet.sourcePort(), packet, rule)
                    .mismatch(rule.source(), /* isDestination= */ false))
        .or(
            () ->
                new Side(
                        "destination", packet.destination(), packet.destinationPort(), packet, rule)
                    .mismatch(rule.destination(), /* isDestination= */ true));
  }

  private static Optional<String> header(PolicyRule rule, FirstPacket packet) {
    if (rule.family().isPresent() && rule.family().get() != packet.family()) {
      return Optional.of(
          "it is for %s only".formatted(rule.family().get() == IpFamily.V4 ? "IPv4" : "IPv6"));
    }
    if (rule.protocol().isPresent() && rule.protocol().getAsInt() != packet.protocol()) {
      return Optional.of(
          "protocol is %s, not %s"
              .formatted(
                  ProtocolNames.of(packet.protocol()),
                  ProtocolNames.of(rule.protocol().getAsInt())));
    }
    if (rule.notProtocol().isPresent() && rule.notProtocol().getAsInt() == packet.protocol()) {
      return Optional.of("protocol is " + ProtocolNames.of(packet.protocol()));
    }
    if (rule.icmp().isPresent() && !isOf(packet, rule.icmp().get())) {
      return Optional.of("%s, not %s".formatted(describe(packet.icmp()), describe(rule.icmp())));
    }
    if (rule.notIcmp().isPresent() && isOf(packet, rule.notIcmp().get())) {
      return Optional.of(describe(packet.icmp()));
    }
    return Optional.empty();
  }

  private static boolean isOf(FirstPacket packet, IcmpMatch match) {
    return packet
        .icmp()
        .filter(
            icmp ->
                icmp.type() == match.type()
                    && (match.code().isEmpty() || match.code().equals(icmp.code())))
        .isPresent();
  }

  private static String describe(Optional<IcmpMatch> icmp) {
    return icmp.map(
            match ->
                "ICMP type "
                    + match.type()
                    + (match.code().isPresent() ? " code " + match.code().getAsInt() : ""))
        .orElse("no ICMP type");
  }

  /** One side of a packet. */
  private final class Side {
    private final String side;
    private final IpAddress address;
    private final OptionalInt port;
    private final FirstPacket packet;
    private final OptionalInt ruleProtocol;

    Side(String side, IpAddress address, OptionalInt port, FirstPacket packet, PolicyRule rule) {
      this.side = side;
      this.address = address;
      this.port = port;
      this.packet = packet;
      this.ruleProtocol = rule.protocol();
    }

    Optional<String> mismatch(RulePeer peer, boolean isDestination) {
      return nets(peer)
          .or(() -> selectors(peer))
          .or(() -> ports(peer))
          .or(() -> peer.service().flatMap(service -> service(service, isDestination)));
    }

    private Optional<String> nets(RulePeer peer) {
      if (!peer.nets().isEmpty() && !contain(peer.nets(), address)) {
        return Optional.of("%s %s is not in %s".formatted(side, address, brief(peer.nets())));
      }
      return peer.notNets().stream()
          .filter(net -> contain(List.of(net), address))
          .findFirst()
          .map(net -> "%s %s is in %s, which it excludes".formatted(side, address, net));
    }

    private Optional<String> selectors(RulePeer peer) {
      if (peer.selector().isPresent() && !isSelected(peer.selector().get())) {
        return Optional.of(
            "%s %s is not selected by %s".formatted(side, named(), peer.selector().get()));
      }
      if (peer.notSelector().isPresent() && isSelected(peer.notSelector().get())) {
        return Optional.of(
            "%s %s is selected by %s, which it excludes"
                .formatted(side, named(), peer.notSelector().get()));
      }
      return Optional.empty();
    }

    private boolean isSelected(Selector selector) {
      return snapshot.holders(address).stream()
          .anyMatch(member -> selector.matches(snapshot.labels(member)));
    }

    private String named() {
      return snapshot
          .workload(address)
          .map(workload -> "%s (%s)".formatted(address, workload.rank().workload()))
          .orElse(
              snapshot.holders(address).isEmpty()
                  ? address + " (of no known endpoint)"
                  : address.toString());
    }

    private Optional<String> ports(RulePeer peer) {
      boolean wanted = !peer.ports().isEmpty() || !peer.portNames().isEmpty();
      if (wanted && !isOneOf(peer.ports(), peer.portNames(), peer.selector())) {
        return Optional.of(
            "%s port is %s, not %s"
                .formatted(side, portText(), brief(texts(peer.ports(), peer.portNames()))));
      }
      if (isOneOf(peer.notPorts(), peer.notPortNames(), peer.selector())) {
        return Optional.of("%s port is %s, which it excludes".formatted(side, portText()));
      }
      return Optional.empty();
    }

    private String portText() {
      return port.isPresent() ? Integer.toString(port.getAsInt()) : "not known";
    }

    /** By number, or by the name that an endpoint with this address has for it. */
    private boolean isOneOf(
        List<PortRange> ranges, List<String> names, Optional<Selector> selector) {
      if (port.isEmpty()) {
        return false;
      }
      int number = port.getAsInt();
      if (ranges.stream().anyMatch(range -> range.contains(number))) {
        return true;
      }
      return !names.isEmpty()
          && snapshot.holders(address).stream()
              .filter(
                  member -> selector.isEmpty() || selector.get().matches(snapshot.labels(member)))
              .anyMatch(member -> hasPort(member, names, number));
    }

    private boolean hasPort(PolicyMember member, List<String> names, int number) {
      return member.ports().stream()
          .anyMatch(
              named ->
                  names.contains(named.name())
                      && named.port() == number
                      && named.protocol() == packet.protocol()
                      && (ruleProtocol.isEmpty() || ruleProtocol.getAsInt() == named.protocol()));
    }

    private Optional<String> service(ServiceName service, boolean isDestination) {
      boolean behind =
          snapshot.slices(service).stream()
              .filter(slice -> slice.addresses().contains(address))
              .anyMatch(
                  slice ->
                      !isDestination
                          || slice.ports().stream()
                              .anyMatch(
                                  one ->
                                      one.protocol() == packet.protocol()
                                          && port.isPresent()
                                          && one.port() == port.getAsInt()));
      return behind
          ? Optional.empty()
          : Optional.of(
              "%s %s%s is not of service %s"
                  .formatted(side, address, isDestination ? " port " + portText() : "", service));
    }
  }

  private static boolean contain(List<IpPrefix> nets, IpAddress address) {
    return nets.stream().anyMatch(net -> net.isV4() == address.isV4() && net.contains(address));
  }

  private static List<String> texts(List<PortRange> ranges, List<String> names) {
    List<String> texts = new ArrayList<>();
    ranges.forEach(range -> texts.add(range.toString()));
    texts.addAll(names);
    return texts;
  }

  /** The first few of a list that may be long. */
  private static String brief(List<?> all) {
    int shown = 4;
    String some = String.join(", ", all.stream().limit(shown).map(String::valueOf).toList());
    return all.size() > shown ? "%s, … (%d)".formatted(some, all.size()) : some;
  }
}

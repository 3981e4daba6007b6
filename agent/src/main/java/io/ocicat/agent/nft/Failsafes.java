package io.ocicat.agent.nft;

import io.ocicat.agent.filter.FilterSettings;
import io.ocicat.agent.filter.FilterSettings.Failsafe;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.nft.Chain;
import io.ocicat.netlink.nft.ChainId;
import io.ocicat.netlink.nft.Clause;
import io.ocicat.netlink.nft.DataType;
import io.ocicat.netlink.nft.Match;
import io.ocicat.netlink.nft.PacketField;
import io.ocicat.netlink.nft.Statement;
import io.ocicat.netlink.nft.Value;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The ports that no policy of a host endpoint closes. Before connection tracking nothing says which
 * packets are replies, so there the port may also be the sender's. Neighbour discovery goes with
 * them: without it no port could be reached over IPv6.
 */
final class Failsafes {
  static final ChainId IN = PolicyTable.ID.chain("failsafe_in");
  static final ChainId OUT = PolicyTable.ID.chain("failsafe_out");
  static final ChainId RAW_IN = PolicyTable.ID.chain("failsafe_raw_in");
  static final ChainId RAW_OUT = PolicyTable.ID.chain("failsafe_raw_out");

  static final ConstantSet DISCOVERY =
      ConstantSet.numbers("neighbour_discovery", DataType.ICMPV6_TYPE, 133, 134, 135, 136, 137);

  private Failsafes() {}

  static List<RenderedChain> chains(FilterSettings settings) {
    return List.of(
        chain(IN, settings.failsafeIngress(), List.of(), true),
        chain(OUT, settings.failsafeEgress(), List.of(), false),
        chain(RAW_IN, settings.failsafeIngress(), settings.failsafeEgress(), true),
        chain(RAW_OUT, settings.failsafeEgress(), settings.failsafeIngress(), false));
  }

  private static RenderedChain chain(
      ChainId id, List<Failsafe> requests, List<Failsafe> replies, boolean incoming) {
    ChainBuilder chain = new ChainBuilder();
    chain.constant(DISCOVERY);
    chain.add(Match.in(DISCOVERY.set(), PacketField.ICMPV6_TYPE), Statement.accept());
    add(chain, requests, PacketField.TH_DPORT, incoming);
    add(chain, replies, PacketField.TH_SPORT, incoming);
    return chain.build(Chain.regular(id));
  }

  private record Service(int protocol, int port) {}

  /** One rule for all networks of a port: the nodes of a cluster may be among them. */
  private static void add(
      ChainBuilder chain, List<Failsafe> failsafes, PacketField port, boolean incoming) {
    Map<Service, List<Failsafe>> services = new LinkedHashMap<>();
    failsafes.forEach(
        one ->
            services
                .computeIfAbsent(new Service(one.protocol(), one.port()), _ -> new ArrayList<>())
                .add(one));
    services.forEach(
        (service, some) -> {
          if (some.stream().anyMatch(one -> one.net().isEmpty())) {
            chain.add(clauses(List.of(), service, port));
            return;
          }
          List<IpPrefix> nets = some.stream().flatMap(one -> one.net().stream()).toList();
          for (IpFamily family : IpFamily.values()) {
            FamilyFields fields = FamilyFields.of(family);
            PacketField address = incoming ? fields.source() : fields.destination();
            List<IpPrefix> cover = fields.cover(nets);
            if (cover.size() == 1) {
              chain.add(clauses(List.of(Match.within(address, cover.getFirst())), service, port));
            } else if (!cover.isEmpty()) {
              ConstantSet set = ConstantSet.networks(fields, cover);
              chain.constant(set);
              chain.add(clauses(List.of(Match.in(set.set(), address)), service, port));
            }
          }
        });
  }

  /** A protocol without ports is open as a whole. */
  private static List<Clause> clauses(List<Clause> peers, Service service, PacketField port) {
    List<Clause> clauses = new ArrayList<>(peers);
    clauses.add(
        Match.eq(PacketField.L4PROTO, Value.number(DataType.INET_PROTO, service.protocol())));
    if (RuleMatches.PROTOCOLS_WITH_PORTS.contains(service.protocol())) {
      clauses.add(Match.eq(port, Value.port(service.port())));
    }
    clauses.add(Statement.accept());
    return clauses;
  }
}

package io.ocicat.agent.nft;

import io.ocicat.agent.filter.FilterSettings;
import io.ocicat.agent.filter.FilterSettings.Failsafe;
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
import java.util.List;

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
    requests.forEach(one -> chain.add(clauses(one, PacketField.TH_DPORT, incoming)));
    replies.forEach(one -> chain.add(clauses(one, PacketField.TH_SPORT, incoming)));
    return chain.build(Chain.regular(id));
  }

  private static List<Clause> clauses(Failsafe failsafe, PacketField port, boolean incoming) {
    List<Clause> clauses = new ArrayList<>();
    failsafe
        .net()
        .ifPresent(
            net -> {
              FamilyFields family = FamilyFields.of(IpFamily.of(net.address()));
              clauses.add(Match.within(incoming ? family.source() : family.destination(), net));
            });
    clauses.add(
        Match.eq(PacketField.L4PROTO, Value.number(DataType.INET_PROTO, failsafe.protocol())));
    clauses.add(Match.eq(port, Value.port(failsafe.port())));
    clauses.add(Statement.accept());
    return clauses;
  }
}

package io.ocicat.agent.flannel;

import io.ocicat.agent.desired.TableContent;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.nft.Chain;
import io.ocicat.netlink.nft.ChainPriority;
import io.ocicat.netlink.nft.ChainType;
import io.ocicat.netlink.nft.Clause;
import io.ocicat.netlink.nft.Hook;
import io.ocicat.netlink.nft.Match;
import io.ocicat.netlink.nft.Nat;
import io.ocicat.netlink.nft.NatFlag;
import io.ocicat.netlink.nft.PacketField;
import io.ocicat.netlink.nft.Rule;
import io.ocicat.netlink.nft.Statement;
import io.ocicat.netlink.nft.TableFamily;
import io.ocicat.netlink.nft.TableId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The nf_tables table of a family, with the names that flanneld gives it. The rules are those of
 * flanneld's iptables mode; for a network N and the node's own subnet S, as nft shows them:
 *
 * <pre>
 * chain postrtg { type nat hook postrouting priority srcnat
 *   meta mark & 0x4000 == 0x4000 return
 *   ip saddr S ip daddr N return
 *   ip saddr N ip daddr S return
 *   ip saddr != N ip daddr S return
 *   ip saddr N ip daddr != 224.0.0.0/4 masquerade fully-random
 *   ip saddr != N ip daddr N masquerade fully-random }
 * chain forward { type filter hook forward priority filter
 *   ip saddr N accept
 *   ip daddr N accept }
 * </pre>
 */
record FlannelTable(IpFamily family, IpPrefix network, IpPrefix own, FlannelView.Rules rules) {
  /** kube-proxy's mark of packets that it masquerades itself. */
  private static final int KUBE_MARK = 0x4000;

  private static final IpPrefix MULTICAST_V4 = IpPrefix.parse("224.0.0.0/4");
  private static final IpPrefix MULTICAST_V6 = IpPrefix.parse("ff00::/8");

  static TableId id(IpFamily family) {
    return family == IpFamily.V4
        ? new TableId(TableFamily.IP, "flannel-ipv4")
        : new TableId(TableFamily.IP6, "flannel-ipv6");
  }

  TableContent content() {
    TableId table = id(family);
    Map<Chain, List<Rule>> chains = new LinkedHashMap<>();
    if (rules.masquerade()) {
      chains.put(
          Chain.base(table.chain("postrtg"), ChainType.NAT, Hook.POSTROUTING, ChainPriority.SRCNAT),
          masquerade());
    }
    if (rules.forward()) {
      chains.put(
          Chain.base(table.chain("forward"), ChainType.FILTER, Hook.FORWARD, ChainPriority.FILTER),
          List.of(
              rule("forward", Match.source(network), Statement.accept()),
              rule("forward", Match.destination(network), Statement.accept())));
    }
    return new TableContent(table, Map.of(), chains);
  }

  private List<Rule> masquerade() {
    Clause translation =
        rules.fullyRandom() ? Nat.masquerade(NatFlag.FULLY_RANDOM) : Nat.masquerade();
    IpPrefix multicast = family == IpFamily.V4 ? MULTICAST_V4 : MULTICAST_V6;
    return List.of(
        postrouting(Match.masked(PacketField.MARK, KUBE_MARK, KUBE_MARK), Statement.goBack()),
        postrouting(Match.source(own), Match.destination(network), Statement.goBack()),
        postrouting(Match.source(network), Match.destination(own), Statement.goBack()),
        postrouting(Match.notSource(network), Match.destination(own), Statement.goBack()),
        postrouting(Match.source(network), Match.notDestination(multicast), translation),
        postrouting(Match.notSource(network), Match.destination(network), translation));
  }

  private Rule postrouting(Clause... clauses) {
    return rule("postrtg", clauses);
  }

  private Rule rule(String chain, Clause... clauses) {
    return Rule.of(id(family).chain(chain), clauses);
  }
}

package io.ocicat.plugins.portmap;

import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.nft.Chain;
import io.ocicat.netlink.nft.ChainId;
import io.ocicat.netlink.nft.ChainPriority;
import io.ocicat.netlink.nft.ChainType;
import io.ocicat.netlink.nft.Chains;
import io.ocicat.netlink.nft.Clause;
import io.ocicat.netlink.nft.CtState;
import io.ocicat.netlink.nft.CtStatus;
import io.ocicat.netlink.nft.Hook;
import io.ocicat.netlink.nft.Match;
import io.ocicat.netlink.nft.Nat;
import io.ocicat.netlink.nft.PacketField;
import io.ocicat.netlink.nft.Rule;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.Sets;
import io.ocicat.netlink.nft.Statement;
import io.ocicat.netlink.nft.Table;
import io.ocicat.netlink.nft.TableFamily;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.nft.Tables;
import io.ocicat.netlink.nft.Value;
import java.util.ArrayList;
import java.util.List;

/**
 * The nf_tables table that forwards host ports: a handful of rules for all containers, each of
 * which is a few elements of the maps and sets of {@link FamilySets}.
 *
 * <pre>
 * prerouting, output   to an address of this machine → hostports
 * hostports            first the containers with conditions of their own, then the maps:
 *                      a port on one address before the same port on all of them
 * postrouting          connections whose destination was translated → masq
 * masq                 answers must come back this way: hide clients that the container would
 *                      answer without us (itself, its neighbours on the link, 127.0.0.1 and ::1)
 * input                127.0.0.0/8 is not for others, see {@link LoopbackAccess}
 * </pre>
 *
 * <p>A change of these rules needs new names for the maps: an ADD that finds its maps assumes the
 * rest.
 */
final class PortmapTable {
  static final TableId TABLE = new TableId(TableFamily.INET, "ocicat_portmap");

  /** The rules of containers with conditions, each with its owner's label as comment. */
  static final ChainId CONDITIONAL = TABLE.chain("conditional");

  private static final Table EMPTY =
      Table.of(TABLE).withComment("ocicat: ports of the host that lead to containers");
  private static final ChainId PREROUTING = TABLE.chain("prerouting");
  private static final ChainId OUTPUT = TABLE.chain("output");
  private static final ChainId HOSTPORTS = TABLE.chain("hostports");
  private static final ChainId POSTROUTING = TABLE.chain("postrouting");
  private static final ChainId MASQ = TABLE.chain("masq");
  private static final ChainId INPUT = TABLE.chain("input");

  private static final List<PacketField> SERVICE =
      List.of(PacketField.L4PROTO, PacketField.TH_DPORT);
  private static final IpPrefix LOOPBACK = IpPrefix.parse("127.0.0.0/8");

  private PortmapTable() {}

  /** Creates the table, or completes an existing one and keeps its elements. */
  static List<NetlinkRequest> structure() {
    return structure(Tables.add(EMPTY));
  }

  /**
   * Creates and deletes the table within one transaction: the kernel rejects what it does not
   * support. EEXIST when the table exists.
   */
  static List<NetlinkRequest> rehearsal() {
    List<NetlinkRequest> requests = structure(Tables.create(EMPTY));
    requests.add(Tables.delete(TABLE));
    return requests;
  }

  private static List<NetlinkRequest> structure(NetlinkRequest table) {
    List<NetlinkRequest> requests = new ArrayList<>();
    requests.add(table);
    for (FamilySets family : FamilySets.BOTH) {
      family.all().forEach(set -> requests.add(Sets.add(set)));
    }
    requests.add(Chains.add(Chain.regular(CONDITIONAL)));
    for (Chain chain : chains()) {
      requests.add(Chains.add(chain));
      requests.add(Rules.flush(chain.id()));
    }
    rules().forEach(rule -> requests.add(Rules.append(rule)));
    return requests;
  }

  /** The chains whose rules are the same for everybody. */
  private static List<Chain> chains() {
    return List.of(
        Chain.regular(HOSTPORTS),
        Chain.regular(MASQ),
        Chain.base(PREROUTING, ChainType.NAT, Hook.PREROUTING, ChainPriority.DSTNAT),
        Chain.base(OUTPUT, ChainType.NAT, Hook.OUTPUT, ChainPriority.DSTNAT),
        Chain.base(POSTROUTING, ChainType.NAT, Hook.POSTROUTING, ChainPriority.SRCNAT),
        Chain.base(INPUT, ChainType.FILTER, Hook.INPUT, ChainPriority.FILTER));
  }

  /** All rules but those of {@link #CONDITIONAL}, chain by chain. */
  static List<Rule> rules() {
    List<Rule> rules = new ArrayList<>();
    rules.add(Rule.of(HOSTPORTS, Statement.jump(CONDITIONAL)));
    for (FamilySets family : FamilySets.BOTH) {
      List<PacketField> key =
          List.of(family.destination, PacketField.L4PROTO, PacketField.TH_DPORT);
      rules.add(Rule.of(HOSTPORTS, Nat.dnat(family.hostIpPorts, key)));
    }
    for (FamilySets family : FamilySets.BOTH) {
      rules.add(Rule.of(HOSTPORTS, Nat.dnat(family.ports, SERVICE)));
    }
    for (FamilySets family : FamilySets.BOTH) {
      for (Clause hidden :
          List.of(
              Match.in(family.hairpin, family.source, family.destination),
              Match.in(family.link, PacketField.IIFNAME, family.destination),
              Match.in(family.masqAll, family.destination))) {
        rules.add(Rule.of(MASQ, hidden, Nat.masquerade()));
      }
    }
    rules.add(Rule.of(PREROUTING, Match.toThisMachine(), Statement.jump(HOSTPORTS)));
    rules.add(Rule.of(OUTPUT, Match.toThisMachine(), Statement.jump(HOSTPORTS)));
    rules.add(Rule.of(POSTROUTING, Match.status(CtStatus.DNAT), Statement.jump(MASQ)));
    for (Clause stranger :
        List.of(
            Match.masked(PacketField.CT_STATUS, CtStatus.DNAT.number(), 0),
            Match.state(CtState.INVALID, CtState.UNTRACKED))) {
      rules.add(
          Rule.of(
              INPUT,
              Match.destination(LOOPBACK),
              Match.ne(PacketField.IIFNAME, Value.interfaceName("lo")),
              stranger,
              Statement.drop()));
    }
    return rules;
  }
}

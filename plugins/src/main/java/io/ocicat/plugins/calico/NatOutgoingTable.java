package io.ocicat.plugins.calico;

import io.ocicat.cni.NetworkName;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.Chain;
import io.ocicat.netlink.nft.ChainId;
import io.ocicat.netlink.nft.ChainPriority;
import io.ocicat.netlink.nft.ChainType;
import io.ocicat.netlink.nft.Chains;
import io.ocicat.netlink.nft.DataType;
import io.ocicat.netlink.nft.Element;
import io.ocicat.netlink.nft.Elements;
import io.ocicat.netlink.nft.Hook;
import io.ocicat.netlink.nft.InstalledRule;
import io.ocicat.netlink.nft.Match;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.Nat;
import io.ocicat.netlink.nft.PacketField;
import io.ocicat.netlink.nft.Rule;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.SetFlag;
import io.ocicat.netlink.nft.Sets;
import io.ocicat.netlink.nft.Table;
import io.ocicat.netlink.nft.TableFamily;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.nft.Tables;
import io.ocicat.plugins.net.NamingHash;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The nf_tables table that masquerades as {@link NatOutgoing} describes, for the pools of a
 * network's datastore:
 *
 * <pre>
 * chain postrouting {
 *   type nat hook postrouting priority srcnat
 *   ip saddr @pools4 ip daddr != @internal4 ip daddr != 224.0.0.0/4 masquerade
 * }
 * </pre>
 *
 * <p>It contains pools, not containers: ADD recognises a current table by its comment, and DEL has
 * nothing to remove. A change replaces it as a whole, in one transaction.
 */
final class NatOutgoingTable {
  /** Behind it stands which network's it is. */
  static final String NAME = "ocicat_nat_outgoing_";

  private static final String POOLS = "pools";
  private static final int DIGITS = 12;

  /** The parts that differ by address family. */
  private record Side(
      int version, DataType type, PacketField source, PacketField destination, IpPrefix multicast) {
    static final List<Side> BOTH =
        List.of(
            new Side(
                4,
                DataType.IPV4_ADDR,
                PacketField.IP_SADDR,
                PacketField.IP_DADDR,
                IpPrefix.parse("224.0.0.0/4")),
            new Side(
                6,
                DataType.IPV6_ADDR,
                PacketField.IP6_SADDR,
                PacketField.IP6_DADDR,
                IpPrefix.parse("ff00::/8")));

    NamedSet set(TableId table, String name) {
      return NamedSet.set(table.set(name + version), type).withFlags(SetFlag.INTERVAL);
    }

    List<IpPrefix> only(List<IpPrefix> prefixes) {
      return prefixes.stream().filter(prefix -> prefix.isV4() == (version == 4)).toList();
    }
  }

  private final NetnsSockets host;
  private final TableId table;

  NatOutgoingTable(NetnsSockets host, NetworkName network) {
    this.host = host;
    this.table = new TableId(TableFamily.INET, NAME + NamingHash.of(network.value(), DIGITS));
  }

  TableId id() {
    return table;
  }

  /** The sets of such a table that have the pools themselves. */
  static Stream<NamedSet> pools(TableId table) {
    return Side.BOTH.stream().map(side -> side.set(table, POOLS));
  }

  /** Whether it was made for these pools. */
  boolean isFor(NatOutgoing wanted, List<Table> tables) {
    String made = pools(wanted);
    return tables.stream()
        .anyMatch(other -> other.id().equals(table) && other.comment().startsWith(made));
  }

  /** Whether it was created for exactly this, nodes included. */
  boolean isExactlyFor(NatOutgoing pools, NatOutgoing whole, List<Table> tables) {
    return tables.contains(new Table(table, comment(pools, whole)));
  }

  private static String pools(NatOutgoing wanted) {
    return "ocicat: what leaves pools, %s "
        .formatted(NamingHash.of(wanted.sources() + " " + wanted.internal(), DIGITS));
  }

  private static String comment(NatOutgoing pools, NatOutgoing whole) {
    return pools(pools) + NamingHash.of(whole.internal().toString(), DIGITS);
  }

  /**
   * Creates or replaces it.
   *
   * @param pools what follows from the pools alone
   * @param whole the same with the excluded nodes
   */
  void replace(NatOutgoing pools, NatOutgoing whole) {
    List<NetlinkRequest> requests = new ArrayList<>();
    // Only an existing table can be deleted, and a table's comment cannot be changed.
    requests.add(Tables.add(Table.of(table)));
    requests.add(Tables.delete(table));
    requests.add(Tables.add(Table.of(table).withComment(comment(pools, whole))));
    requests.add(
        Chains.add(
            Chain.base(postrouting(), ChainType.NAT, Hook.POSTROUTING, ChainPriority.SRCNAT)));
    for (Side side : Side.BOTH) {
      fill(requests, side.set(table, POOLS), side.only(whole.sources()));
      fill(requests, side.set(table, "internal"), side.only(whole.internal()));
      requests.add(Rules.append(rule(side)));
    }
    host.netfilter().transact(requests);
  }

  private static void fill(List<NetlinkRequest> requests, NamedSet set, List<IpPrefix> prefixes) {
    requests.add(Sets.add(set));
    prefixes.forEach(prefix -> requests.add(Elements.add(set, Element.of(prefix))));
  }

  private ChainId postrouting() {
    return table.chain("postrouting");
  }

  private Rule rule(Side side) {
    return Rule.of(
        postrouting(),
        Match.in(side.set(table, POOLS), side.source()),
        Match.notIn(side.set(table, "internal"), side.destination()),
        Match.notDestination(side.multicast()),
        Nat.masquerade());
  }

  /** One that is already gone is not an error. */
  void remove(List<Table> tables) {
    if (tables.stream().noneMatch(other -> other.id().equals(table))) {
      return;
    }
    try {
      host.netfilter().transact(List.of(Tables.delete(table)));
    } catch (NetlinkException e) {
      if (!e.is(Errno.ENOENT)) {
        throw e;
      }
    }
  }

  /** Whether rules and elements are those that the comment promises. */
  boolean isComplete(NatOutgoing whole) {
    List<InstalledRule> rules = host.netfilter().list(Rules.in(table));
    for (Side side : Side.BOTH) {
      Rule wanted = rule(side);
      boolean hasRule =
          rules.stream().anyMatch(rule -> rule.expressions().equals(wanted.expressions()));
      if (!hasRule || !isFilled(side, POOLS, whole.sources())) {
        return false;
      }
    }
    return true;
  }

  private boolean isFilled(Side side, String name, List<IpPrefix> prefixes) {
    List<Element> there =
        host.netfilter().list(Elements.in(side.set(table, name)).noneWhen(Errno.ENOENT));
    return side.only(prefixes).stream()
        .allMatch(
            prefix ->
                there.stream()
                    .anyMatch(
                        element ->
                            element.first().equals(Element.of(prefix).first())
                                && element.last().equals(Element.of(prefix).last())));
  }
}

package io.ocicat.plugins.masquerade;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.nft.Chain;
import io.ocicat.netlink.nft.ChainId;
import io.ocicat.netlink.nft.ChainPriority;
import io.ocicat.netlink.nft.ChainType;
import io.ocicat.netlink.nft.Chains;
import io.ocicat.netlink.nft.Expression;
import io.ocicat.netlink.nft.Hook;
import io.ocicat.netlink.nft.InstalledRule;
import io.ocicat.netlink.nft.Match;
import io.ocicat.netlink.nft.NamedSet;
import io.ocicat.netlink.nft.Nat;
import io.ocicat.netlink.nft.Rule;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.Sets;
import io.ocicat.netlink.nft.Statement;
import io.ocicat.netlink.nft.Table;
import io.ocicat.netlink.nft.TableFamily;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.nft.Tables;
import io.ocicat.plugins.net.CurrentRuleset;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The nf_tables table that masquerades all containers with a few rules:
 *
 * <pre>
 * chain postrouting {
 *   type nat hook postrouting priority srcnat
 *   ip saddr @sources4 goto leaving4
 *   ip6 saddr @sources6 goto leaving6
 * }
 * chain leaving4 {
 *   ip saddr . ip daddr &amp; 255.255.255.0 @neighbours4_24 return
 *   ip daddr 224.0.0.0/4 return
 *   masquerade
 * }
 * </pre>
 *
 * <p>Each container is a few elements of hash sets, so neither a new connection nor an ADD or DEL
 * costs more when there are more containers. A set of ranges could hold subnets of all sizes, but
 * the kernel copies such a set as a whole for each change; so each prefix length in use has a rule
 * and a set of its own.
 *
 * <p>Table, chains and empty sets stay when the last container is gone.
 */
final class MasqueradeTable {
  static final TableId TABLE = new TableId(TableFamily.INET, "ocicat_masquerade");

  private static final ChainId POSTROUTING = TABLE.chain("postrouting");
  private static final String COMMENT = "ocicat: connections that leave with the host's address";

  private MasqueradeTable() {}

  /** Creates or completes the table, with what these addresses need. */
  static void ensure(NetnsSockets host, List<IpPrefix> addresses) {
    CurrentRuleset.change(host, () -> completion(host, addresses));
  }

  private static List<NetlinkRequest> completion(NetnsSockets host, List<IpPrefix> addresses) {
    List<NamedSet> present = host.netfilter().list(Sets.in(TABLE));
    List<NetlinkRequest> requests = new ArrayList<>();
    requests.add(Tables.add(Table.of(TABLE).withComment(COMMENT)));
    requests.add(
        Chains.add(Chain.base(POSTROUTING, ChainType.NAT, Hook.POSTROUTING, ChainPriority.SRCNAT)));
    requests.add(Rules.flush(POSTROUTING));
    for (IpSets family : IpSets.BOTH) {
      SortedSet<Integer> lengths = lengths(family, present);
      family.only(addresses).forEach(address -> lengths.add(address.length()));
      requests.add(Sets.add(family.sources));
      requests.add(Sets.add(family.owners));
      lengths.forEach(length -> requests.add(Sets.add(family.neighbours(length))));
      requests.add(Chains.add(Chain.regular(family.leaving)));
      requests.add(Rules.flush(family.leaving));
      rules(family, lengths).forEach(rule -> requests.add(Rules.append(rule)));
    }
    return requests;
  }

  /** The prefix lengths of the existing sets of neighbours. */
  static SortedSet<Integer> lengths(IpSets family, List<NamedSet> present) {
    TreeSet<Integer> lengths = new TreeSet<>();
    present.forEach(set -> family.lengthOf(set).ifPresent(lengths::add));
    return lengths;
  }

  /** All rules of one family. */
  static List<Rule> rules(IpSets family, Iterable<Integer> lengths) {
    List<Rule> rules = new ArrayList<>();
    rules.add(
        Rule.of(
            POSTROUTING, Match.in(family.sources, family.source), Statement.goTo(family.leaving)));
    for (int length : lengths) {
      rules.add(
          Rule.of(
              family.leaving,
              Match.in(
                  family.neighbours(length), family.source, family.destination.network(length)),
              Statement.goBack()));
    }
    rules.add(Rule.of(family.leaving, Match.destination(family.multicast), Statement.goBack()));
    rules.add(Rule.of(family.leaving, Nat.masquerade()));
    return rules;
  }

  /** Restores rules that somebody removed; does not create a missing table. */
  static void restore(NetnsSockets host) {
    List<NamedSet> present = host.netfilter().list(Sets.in(TABLE));
    List<InstalledRule> installed = host.netfilter().list(Rules.in(TABLE));
    boolean complete =
        IpSets.BOTH.stream()
            .flatMap(family -> rules(family, lengths(family, present)).stream())
            .allMatch(rule -> isAmong(installed, rule));
    if (!present.isEmpty() && !complete) {
      ensure(host, List.of());
    }
  }

  /**
   * Checks that the rules exist that these addresses need.
   *
   * @throws CniException showing one that is missing
   */
  static void requireRules(NetnsSockets host, List<IpPrefix> addresses) {
    List<InstalledRule> installed = host.netfilter().list(Rules.in(TABLE));
    for (IpSets family : IpSets.BOTH) {
      SortedSet<Integer> lengths = new TreeSet<>();
      family.only(addresses).forEach(address -> lengths.add(address.length()));
      for (Rule rule : lengths.isEmpty() ? List.<Rule>of() : rules(family, lengths)) {
        if (!isAmong(installed, rule)) {
          throw new CniException(
                  ErrorCode.INTERNAL,
                  "rule \"%s\" is missing".formatted(rule),
                  "someone changed table %s: GC puts the rule back".formatted(TABLE))
              .because(FailureReason.MASQUERADE_MISSING);
        }
      }
    }
  }

  private static boolean isAmong(List<InstalledRule> installed, Rule rule) {
    List<Expression> wanted = rule.expressions();
    return installed.stream()
        .anyMatch(
            other -> other.chain().equals(rule.chain()) && other.expressions().equals(wanted));
  }
}

package io.ocicat.cli.check;

import io.ocicat.cli.check.Discrepancy.Kind;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.Chain;
import io.ocicat.netlink.nft.ChainPolicy;
import io.ocicat.netlink.nft.Chains;
import io.ocicat.netlink.nft.Expression;
import io.ocicat.netlink.nft.Hook;
import io.ocicat.netlink.nft.InstalledRule;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.nft.TableFamily;
import io.ocicat.netlink.nft.TableId;
import io.ocicat.netlink.nft.Verdict;
import io.ocicat.netlink.ns.NetNs;
import io.ocicat.plugins.net.PluginTables;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds nf_tables rules of other programs, iptables' among them, that drop packets. What a rule
 * matches is not evaluated: it explains packets that were lost, and proves nothing where none were.
 */
final class ForeignFirewall {
  /** What packets between a container, its host and other machines pass. */
  private static final Set<Hook> HOOKS =
      Set.of(Hook.PREROUTING, Hook.INPUT, Hook.FORWARD, Hook.OUTPUT, Hook.POSTROUTING);

  private ForeignFirewall() {}

  /** Chains that drop what they do not accept come first. */
  static List<Discrepancy> in(NetNs namespace) {
    List<Discrepancy> found = new ArrayList<>();
    try (NetlinkSocket socket = NetlinkSocket.open(Protocol.NETFILTER, namespace)) {
      for (Chain chain : socket.list(Chains.all())) {
        if (chain instanceof Chain.Base base
            && base.policy() == ChainPolicy.DROP
            && HOOKS.contains(base.hook())
            && isForeign(base.id().table())) {
          found.add(
              finding(
                  "chain %s of table %s".formatted(base.id().name(), base.id().table()),
                  "drops at hook %s what none of its rules accepts".formatted(base.hook()),
                  base.id().table()));
        }
      }
      for (InstalledRule rule : socket.list(Rules.all())) {
        if (isForeign(rule.chain().table())) {
          effect(rule)
              .ifPresent(
                  verb ->
                      found.add(
                          finding(
                              "rule %d in chain %s of table %s"
                                  .formatted(
                                      rule.handle(), rule.chain().name(), rule.chain().table()),
                              "%s packets".formatted(verb),
                              rule.chain().table())));
        }
      }
    } catch (NetlinkException _) {
      // A kernel without nf_tables has no rules.
      return List.of();
    }
    return found;
  }

  private static boolean isForeign(TableId table) {
    return !PluginTables.isNamedAsOurs(table)
        && (table.family() == TableFamily.INET
            || table.family() == TableFamily.IP
            || table.family() == TableFamily.IP6);
  }

  private static Optional<String> effect(InstalledRule rule) {
    for (Expression expression : rule.expressions()) {
      if (expression instanceof Expression.Decide(Verdict verdict)
          && verdict.equals(Verdict.DROP)) {
        return Optional.of("drops");
      }
      if (expression instanceof Expression.Reject) {
        return Optional.of("rejects");
      }
    }
    return Optional.empty();
  }

  private static Discrepancy finding(String object, String how, TableId table) {
    return new Discrepancy(
        Kind.FIREWALL,
        object,
        how + ", and it is not ours",
        "",
        "let its owner accept the traffic of pods: `nft list table %s`".formatted(table));
  }
}

package io.ocicat.cli.policy;

import io.ocicat.agent.filter.RuleListId;
import io.ocicat.agent.nft.PolicyTable;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.nft.Expression;
import io.ocicat.netlink.nft.InstalledRule;
import io.ocicat.netlink.nft.Rules;
import io.ocicat.netlink.ns.NetNs;
import java.util.List;
import java.util.Optional;

/**
 * What the rules in this node's packet filter have counted: the first packets of flows of all its
 * endpoints that share the rules.
 */
final class RuleCounters {
  private final List<InstalledRule> rules;

  private RuleCounters(List<InstalledRule> rules) {
    this.rules = List.copyOf(rules);
  }

  /** Packets and their bytes. */
  record Count(long packets, long bytes) {}

  /** Of this network namespace; nothing where no policy is enforced. */
  static RuleCounters here() {
    try (NetNs own = NetNs.current();
        NetlinkSocket socket = NetlinkSocket.open(Protocol.NETFILTER, own)) {
      return new RuleCounters(socket.list(Rules.in(PolicyTable.ID)));
    } catch (NetlinkException _) {
      return none();
    }
  }

  static RuleCounters none() {
    return new RuleCounters(List.of());
  }

  boolean isEmpty() {
    return rules.isEmpty();
  }

  /** Empty when the kernel has no such rule. */
  Optional<Count> of(RuleListId list, int number) {
    List<Expression.Counter> counters =
        rules.stream()
            .filter(rule -> PolicyTable.isChainOf(list, rule.chain().name()))
            .filter(rule -> rule.comment().equals(PolicyTable.comment(number)))
            .flatMap(rule -> rule.expressions().stream())
            .filter(Expression.Counter.class::isInstance)
            .map(Expression.Counter.class::cast)
            .toList();
    return counters.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Count(
                counters.stream().mapToLong(Expression.Counter::packets).sum(),
                counters.stream().mapToLong(Expression.Counter::bytes).sum()));
  }
}

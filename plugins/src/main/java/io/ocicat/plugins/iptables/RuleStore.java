package io.ocicat.plugins.iptables;

import java.util.List;
import java.util.Set;

/** One of the places where iptables keeps the rules of a table: of one family and one back end. */
sealed interface RuleStore permits NftStore, LegacyStore {
  /**
   * What matters of a rule.
   *
   * @param target the chain it jumps to; empty for none
   * @param comment empty for none
   */
  record Entry(String chain, String target, String comment) {}

  boolean has(String chain);

  List<Entry> entries();

  /**
   * What the chains do to ports of the host that rules of {@code entry} lead to, each with the
   * comment of the rule that leads there.
   *
   * @param wanted the numbers that matter; others may be among the answers
   */
  List<PortRule> ports(String entry, Set<Integer> wanted);

  /** Removes the chain and every rule that leads there; gone already is fine. */
  void remove(String chain);
}

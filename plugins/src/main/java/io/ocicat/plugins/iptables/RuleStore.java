package io.ocicat.plugins.iptables;

import java.util.List;
import java.util.Set;

/** A place where iptables keeps the rules of a table: one family in one backend. */
sealed interface RuleStore permits NftStore, LegacyStore {
  /**
   * The relevant parts of a rule.
   *
   * @param target the chain it jumps to; empty for none
   * @param comment empty for none
   */
  record Entry(String chain, String target, String comment) {}

  boolean has(String chain);

  List<Entry> entries();

  /**
   * The host ports that chains translate to which rules of {@code entry} jump, each with the
   * comment of that rule.
   *
   * @param wanted the port numbers of interest; the answer may contain others
   */
  List<PortRule> ports(String entry, Set<Integer> wanted);

  /**
   * Removes the chain and every rule that jumps to it; one that is already gone is not an error.
   */
  void remove(String chain);
}

package io.ocicat.plugins.portmap;

import io.ocicat.netlink.nft.Clause;
import java.util.List;

/**
 * Additional conditions on the packets that are forwarded to a container's ports.
 *
 * @param alternatives each a list of clauses that must all hold; one of them suffices
 */
record Conditions(List<List<Clause>> alternatives) {
  static final Conditions NONE = new Conditions(List.of(List.of()));

  Conditions {
    alternatives = alternatives.stream().map(List::copyOf).toList();
  }

  /**
   * Parses conditions with {@link ConditionParser}.
   *
   * @throws IllegalArgumentException naming the word that is invalid, and why
   */
  static Conditions parse(FamilySets family, List<String> tokens) {
    return new ConditionParser(family, tokens).parse();
  }

  boolean isNone() {
    return equals(NONE);
  }

  /** Whether the words are iptables options, or a ! before one. */
  static boolean areOfIptables(List<String> tokens) {
    return !tokens.isEmpty()
        && (tokens.getFirst().startsWith("-") || tokens.getFirst().startsWith("!"));
  }
}

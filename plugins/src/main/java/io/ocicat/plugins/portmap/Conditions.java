package io.ocicat.plugins.portmap;

import io.ocicat.netlink.nft.Clause;
import java.util.List;

/**
 * What packets must be like for a container's ports to be forwarded, beyond having the port.
 *
 * @param alternatives each a list of clauses that must all hold; one of them suffices
 */
record Conditions(List<List<Clause>> alternatives) {
  static final Conditions NONE = new Conditions(List.of(List.of()));

  Conditions {
    alternatives = alternatives.stream().map(List::copyOf).toList();
  }

  /**
   * Reads conditions as {@link ConditionParser} understands them.
   *
   * @throws IllegalArgumentException saying at which word it does not, and why
   */
  static Conditions parse(FamilySets family, List<String> tokens) {
    return new ConditionParser(family, tokens).parse();
  }

  boolean isNone() {
    return equals(NONE);
  }

  /** Whether the words are those of iptables: options, or the ! before one. */
  static boolean areOfIptables(List<String> tokens) {
    return !tokens.isEmpty()
        && (tokens.getFirst().startsWith("-") || tokens.getFirst().startsWith("!"));
  }
}

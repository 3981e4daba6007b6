package io.ocicat.netlink.nft;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A rule to be written: conditions, and what to do when they are met.
 *
 * @param comment empty for none; the usual way to recognise one's own rules later
 * @param note empty for none; the way to do so in a chain of another program, which would take a
 *     comment for a part of the rule: neither nft nor iptables shows it, and both keep it
 */
public record Rule(ChainId chain, List<Clause> clauses, String comment, String note) {
  public Rule {
    clauses = List.copyOf(clauses);
  }

  public Rule(ChainId chain, List<Clause> clauses, String comment) {
    this(chain, clauses, comment, "");
  }

  public static Rule of(ChainId chain, Clause... clauses) {
    return new Rule(chain, List.of(clauses), "");
  }

  public Rule withComment(String text) {
    return new Rule(chain, clauses, text, note);
  }

  public Rule withNote(String text) {
    return new Rule(chain, clauses, comment, text);
  }

  /**
   * What the kernel gets to execute.
   *
   * @throws IllegalArgumentException when the clauses contradict each other or the table's family
   */
  public List<Expression> expressions() {
    return RuleAssembly.assemble(chain.table().family(), clauses);
  }

  /** As nft writes it. */
  @Override
  public String toString() {
    String text = clauses.stream().map(Clause::toString).collect(Collectors.joining(" "));
    return chain + " " + text + NameRules.commentText(comment);
  }
}

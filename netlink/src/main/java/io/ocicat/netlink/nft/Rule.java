package io.ocicat.netlink.nft;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A rule to be added: conditions and statements.
 *
 * @param comment empty for none; the usual way to recognise one's own rules later
 * @param note empty for none; serves the same purpose in another program's chain, where a comment
 *     would count as part of the rule: neither nft nor iptables shows it, and both keep it
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
   * The expressions for the kernel.
   *
   * @throws IllegalArgumentException when the clauses contradict each other or the table's family
   */
  public List<Expression> expressions() {
    return RuleAssembly.assemble(chain.table().family(), clauses);
  }

  /** In nft's syntax. */
  @Override
  public String toString() {
    String text = clauses.stream().map(Clause::toString).collect(Collectors.joining(" "));
    return chain + " " + text + NameRules.commentText(comment);
  }
}

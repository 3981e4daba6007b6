package io.ocicat.netlink.nft;

import java.util.function.Consumer;

/**
 * A part of a rule: a condition ({@link Match}), a statement ({@link Statement}), or a bare {@link
 * Expression}. Its text is in nft's syntax.
 */
public sealed interface Clause permits Expression, Clause.Phrase {

  /**
   * A condition or statement, which may be several expressions, and different ones in an inet than
   * in an ip table.
   */
  final class Phrase implements Clause {
    private final String text;
    private final Consumer<RuleAssembly> content;

    private Phrase(String text, Consumer<RuleAssembly> content) {
      this.text = text;
      this.content = content;
    }

    static Phrase of(String text, Consumer<RuleAssembly> content) {
      return new Phrase(text, content);
    }

    void addTo(RuleAssembly rule) {
      content.accept(rule);
    }

    @Override
    public String toString() {
      return text;
    }
  }
}

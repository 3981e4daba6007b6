package io.ocicat.datastore.selector;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A recursive descent parser for selectors: {@code ||} binds weakest, then {@code &&}, then {@code
 * !}. Label names may look like operators ({@code in in {'in'}}); an operator is expected only
 * after a label, so this is not ambiguous.
 */
final class SelectorParser {
  private static final int MAX_LABEL = 512;

  /** Far more than a person writes; protects the stack from hostile input. */
  private static final int MAX_DEPTH = 200;

  private final String text;
  private int at;
  private int depth;

  SelectorParser(String text) {
    this.text = text;
  }

  Selector parse() {
    skipSpace();
    if (at == text.length()) {
      return Selector.ALL;
    }
    Selector selector = or();
    if (at < text.length()) {
      throw refuse("expected &&, || or the end");
    }
    return selector;
  }

  private Selector or() {
    List<Selector> operands = new ArrayList<>(List.of(and()));
    while (accept("||")) {
      operands.add(and());
    }
    return operands.size() == 1 ? operands.getFirst() : new Selector.Or(operands);
  }

  private Selector and() {
    List<Selector> operands = new ArrayList<>(List.of(operation()));
    while (accept("&&")) {
      operands.add(operation());
    }
    return operands.size() == 1 ? operands.getFirst() : new Selector.And(operands);
  }

  private Selector operation() {
    boolean negated = false;
    while (accept("!")) {
      negated = !negated;
    }
    Selector operand = operand();
    return negated ? new Selector.Not(operand) : operand;
  }

  private Selector operand() {
    if (accept("(")) {
      if (++depth > MAX_DEPTH) {
        throw refuse("too many brackets within brackets");
      }
      Selector inner = or();
      expect(")");
      depth--;
      return inner;
    }
    if (accept("has(")) {
      String label = label();
      expect(")");
      return new Selector.Has(label);
    }
    if (accept("all(")) {
      expect(")");
      return Selector.ALL;
    }
    if (accept("global(")) {
      expect(")");
      return new Selector.Global();
    }
    return comparison(label());
  }

  private Selector comparison(String label) {
    if (accept("==")) {
      return new Selector.Compare(label, Selector.Comparison.EQUAL, literal());
    }
    if (accept("!=")) {
      return new Selector.Compare(label, Selector.Comparison.NOT_EQUAL, literal());
    }
    if (acceptWords("contains")) {
      return new Selector.Compare(label, Selector.Comparison.CONTAINS, literal());
    }
    if (acceptWords("starts", "with")) {
      return new Selector.Compare(label, Selector.Comparison.STARTS_WITH, literal());
    }
    if (acceptWords("ends", "with")) {
      return new Selector.Compare(label, Selector.Comparison.ENDS_WITH, literal());
    }
    if (acceptWords("not", "in")) {
      return new Selector.NotIn(label, set());
    }
    if (acceptWords("in")) {
      return new Selector.In(label, set());
    }
    throw refuse(
        "expected ==, !=, in, not in, contains, starts with or ends with after label " + label);
  }

  /** As upstream, an empty set and a trailing comma are valid. */
  private SortedSet<String> set() {
    expect("{");
    SortedSet<String> values = new TreeSet<>();
    while (at < text.length() && (text.charAt(at) == '"' || text.charAt(at) == '\'')) {
      values.add(literal());
      if (!accept(",")) {
        break;
      }
    }
    expect("}");
    return values;
  }

  private String literal() {
    char quote = at < text.length() ? text.charAt(at) : ' ';
    if (quote != '"' && quote != '\'') {
      throw refuse("expected a text in quotes");
    }
    int end = text.indexOf(quote, at + 1);
    if (end < 0) {
      throw refuse("the text has no closing " + quote);
    }
    String literal = text.substring(at + 1, end);
    at = end + 1;
    skipSpace();
    return literal;
  }

  private String label() {
    int start = at;
    while (at < text.length() && isLabelPart(text.charAt(at))) {
      at++;
    }
    if (at == start) {
      throw refuse("expected a label");
    }
    if (at - start > MAX_LABEL) {
      throw refuse("a label has at most " + MAX_LABEL + " characters");
    }
    String label = text.substring(start, at);
    skipSpace();
    return label;
  }

  private boolean accept(String symbol) {
    if (!text.startsWith(symbol, at)) {
      return false;
    }
    at += symbol.length();
    skipSpace();
    return true;
  }

  /** White space between the words is optional; after the last one the word must end. */
  private boolean acceptWords(String... words) {
    int start = at;
    for (String word : words) {
      if (!text.startsWith(word, at)) {
        at = start;
        return false;
      }
      at += word.length();
      if (word.equals(words[words.length - 1]) && at < text.length()) {
        if (isLabelPart(text.charAt(at))) {
          at = start;
          return false;
        }
      }
      skipSpace();
    }
    return true;
  }

  private void expect(String symbol) {
    if (!accept(symbol)) {
      throw refuse("expected " + symbol);
    }
  }

  private void skipSpace() {
    while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
      at++;
    }
  }

  private static boolean isLabelPart(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '_'
        || c == '.'
        || c == '/'
        || c == '-';
  }

  private IllegalArgumentException refuse(String why) {
    return new IllegalArgumentException(
        "is not a selector: %s at character %d".formatted(why, at + 1));
  }
}

package io.ocicat.datastore.selector;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A label selector: {@code role == 'db' && (has(tier) || env in {'a', 'b'})}. Parsed once,
 * evaluated often. Its {@code toString} is the canonical text, the same for selectors that differ
 * only in white space, redundant brackets, quotes or the order within a set.
 */
public sealed interface Selector {

  /** Matches everything; also the meaning of an empty text. */
  Selector ALL = new All();

  /**
   * Parses a selector.
   *
   * @throws IllegalArgumentException saying where and why it is invalid
   */
  static Selector parse(String text) {
    return new SelectorParser(text).parse();
  }

  boolean matches(Map<String, String> labels);

  /** {@code all()}. */
  record All() implements Selector {
    @Override
    public boolean matches(Map<String, String> labels) {
      return true;
    }

    @Override
    public String toString() {
      return "all()";
    }
  }

  /**
   * {@code global()}: resources without a namespace; as an expression over labels it is always
   * true.
   */
  record Global() implements Selector {
    @Override
    public boolean matches(Map<String, String> labels) {
      return true;
    }

    @Override
    public String toString() {
      return "global()";
    }
  }

  /** {@code has(label)}. */
  record Has(String label) implements Selector {
    @Override
    public boolean matches(Map<String, String> labels) {
      return labels.containsKey(label);
    }

    @Override
    public String toString() {
      return "has(" + label + ")";
    }
  }

  /** How a label is compared with a text. */
  enum Comparison {
    EQUAL("=="),
    /** Also true when the label is absent. */
    NOT_EQUAL("!="),
    CONTAINS("contains"),
    STARTS_WITH("starts with"),
    ENDS_WITH("ends with");

    private final String text;

    Comparison(String text) {
      this.text = text;
    }
  }

  /** A label compared with a text. */
  record Compare(String label, Comparison comparison, String value) implements Selector {
    @Override
    public boolean matches(Map<String, String> labels) {
      String found = labels.get(label);
      if (found == null) {
        return comparison == Comparison.NOT_EQUAL;
      }
      return switch (comparison) {
        case EQUAL -> found.equals(value);
        case NOT_EQUAL -> !found.equals(value);
        case CONTAINS -> found.contains(value);
        case STARTS_WITH -> found.startsWith(value);
        case ENDS_WITH -> found.endsWith(value);
      };
    }

    @Override
    public String toString() {
      return label + " " + comparison.text + " " + quote(value);
    }
  }

  /** {@code label in {…}}. */
  record In(String label, SortedSet<String> values) implements Selector {
    public In {
      values = Collections.unmodifiableSortedSet(new TreeSet<>(values));
    }

    @Override
    public boolean matches(Map<String, String> labels) {
      String found = labels.get(label);
      return found != null && values.contains(found);
    }

    @Override
    public String toString() {
      return label + " in " + set(values);
    }
  }

  /** {@code label not in {…}}; also true when the label is absent. */
  record NotIn(String label, SortedSet<String> values) implements Selector {
    public NotIn {
      values = Collections.unmodifiableSortedSet(new TreeSet<>(values));
    }

    @Override
    public boolean matches(Map<String, String> labels) {
      String found = labels.get(label);
      return found == null || !values.contains(found);
    }

    @Override
    public String toString() {
      return label + " not in " + set(values);
    }
  }

  /** {@code !…}. */
  record Not(Selector operand) implements Selector {
    @Override
    public boolean matches(Map<String, String> labels) {
      return !operand.matches(labels);
    }

    @Override
    public String toString() {
      return "!" + operand;
    }
  }

  /** {@code (… && …)}. */
  record And(List<Selector> operands) implements Selector {
    public And {
      operands = List.copyOf(operands);
    }

    @Override
    public boolean matches(Map<String, String> labels) {
      return operands.stream().allMatch(operand -> operand.matches(labels));
    }

    @Override
    public String toString() {
      return join(operands, " && ");
    }
  }

  /** {@code (… || …)}. */
  record Or(List<Selector> operands) implements Selector {
    public Or {
      operands = List.copyOf(operands);
    }

    @Override
    public boolean matches(Map<String, String> labels) {
      return operands.stream().anyMatch(operand -> operand.matches(labels));
    }

    @Override
    public String toString() {
      return join(operands, " || ");
    }
  }

  private static String join(List<Selector> operands, String operator) {
    return operands.stream()
        .map(Selector::toString)
        .collect(Collectors.joining(operator, "(", ")"));
  }

  private static String set(Collection<String> values) {
    return values.stream().map(Selector::quote).collect(Collectors.joining(", ", "{", "}"));
  }

  /** The language has no escapes: a text with one kind of quotes is put into the other. */
  private static String quote(String text) {
    return text.indexOf('"') < 0 ? '"' + text + '"' : "'" + text + "'";
  }
}

package io.ocicat.agent.policy;

import io.ocicat.datastore.selector.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A condition on one label that every match of a selector fulfils, by which an index finds the
 * candidates.
 *
 * @param values what the label may be; any value when {@code anyValue}
 */
record LabelCondition(String label, boolean anyValue, Set<String> values) {
  private static final String NAMESPACE = "projectcalico.org/namespace";
  private static final String ORCHESTRATOR = "projectcalico.org/orchestrator";

  /** The conditions that a selector implies, each on its own; none when it implies none. */
  static List<LabelCondition> of(Selector selector) {
    return switch (selector) {
      case Selector.Has has -> List.of(any(has.label()));
      case Selector.Compare compare ->
          switch (compare.comparison()) {
            case EQUAL ->
                List.of(new LabelCondition(compare.label(), false, Set.of(compare.value())));
            case CONTAINS, STARTS_WITH, ENDS_WITH -> List.of(any(compare.label()));
            case NOT_EQUAL -> List.of();
          };
      case Selector.In in -> List.of(new LabelCondition(in.label(), false, in.values()));
      case Selector.And and ->
          and.operands().stream().flatMap(operand -> of(operand).stream()).toList();
      case Selector.Or or -> ofAlternatives(or.operands());
      case Selector.All _, Selector.Global _, Selector.NotIn _, Selector.Not _ -> List.of();
    };
  }

  private static LabelCondition any(String label) {
    return new LabelCondition(label, true, Set.of());
  }

  /** A condition on a label holds if every alternative has one on that label. */
  private static List<LabelCondition> ofAlternatives(List<Selector> alternatives) {
    List<LabelCondition> conditions = new ArrayList<>();
    for (LabelCondition first : of(alternatives.getFirst())) {
      LabelCondition union = first;
      for (Selector alternative : alternatives) {
        LabelCondition before = union;
        union =
            before == null
                ? null
                : of(alternative).stream()
                    .filter(condition -> condition.label.equals(first.label))
                    .findFirst()
                    .map(before::or)
                    .orElse(null);
      }
      if (union != null) {
        conditions.add(union);
      }
    }
    return conditions;
  }

  private LabelCondition or(LabelCondition other) {
    if (anyValue || other.anyValue) {
      return any(label);
    }
    Set<String> both = new TreeSet<>(values);
    both.addAll(other.values);
    return new LabelCondition(label, false, both);
  }

  /**
   * Which of several conditions with as many candidates to prefer, lowest first: namespaces stay
   * small while clusters grow, and almost everything is of one orchestrator.
   */
  int rank() {
    if (label.equals(ORCHESTRATOR)) {
      return 3;
    }
    if (anyValue) {
      return 2;
    }
    return label.equals(NAMESPACE) ? 0 : 1;
  }
}

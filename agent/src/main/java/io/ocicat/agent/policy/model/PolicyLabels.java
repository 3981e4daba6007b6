package io.ocicat.agent.policy.model;

import io.ocicat.datastore.selector.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * The labels that stand for namespaces and service accounts, and the selectors over them. An
 * endpoint inherits the labels of its namespace and service account with a prefix.
 */
final class PolicyLabels {
  static final String NAMESPACE = "projectcalico.org/namespace";
  static final String SERVICE_ACCOUNT = "projectcalico.org/serviceaccount";
  static final String ORCHESTRATOR = "projectcalico.org/orchestrator";
  static final String KUBERNETES = "k8s";
  static final String OF_NAMESPACE = "pcns.";
  static final String OF_SERVICE_ACCOUNT = "pcsa.";
  static final String NAMESPACE_PROFILE = "kns.";
  static final String SERVICE_ACCOUNT_PROFILE = "ksa.";

  static final Selector IS_POD =
      new Selector.Compare(ORCHESTRATOR, Selector.Comparison.EQUAL, KUBERNETES);

  private PolicyLabels() {}

  static Selector inNamespace(String namespace) {
    return new Selector.Compare(NAMESPACE, Selector.Comparison.EQUAL, namespace);
  }

  static Selector asServiceAccount(List<String> names) {
    return new Selector.In(SERVICE_ACCOUNT, new TreeSet<>(names));
  }

  /** A selector over the labels of namespaces, as one over those of endpoints. */
  static Selector ofNamespace(Selector selector) {
    return prefixed(selector, OF_NAMESPACE, new Selector.Has(NAMESPACE));
  }

  /** Likewise for the labels of service accounts. */
  static Selector ofServiceAccount(Selector selector) {
    return prefixed(selector, OF_SERVICE_ACCOUNT, new Selector.Has(SERVICE_ACCOUNT));
  }

  /** All of them; nothing but {@code all()} when there are none. */
  static Selector and(List<Selector> terms) {
    List<Selector> operands = new ArrayList<>();
    for (Selector term : terms) {
      switch (term) {
        case Selector.All _ -> {}
        case Selector.And and -> operands.addAll(and.operands());
        default -> operands.add(term);
      }
    }
    return switch (operands.size()) {
      case 0 -> Selector.ALL;
      case 1 -> operands.getFirst();
      default -> new Selector.And(operands);
    };
  }

  static boolean hasGlobal(Selector selector) {
    return switch (selector) {
      case Selector.Global _ -> true;
      case Selector.Not not -> hasGlobal(not.operand());
      case Selector.And and -> and.operands().stream().anyMatch(PolicyLabels::hasGlobal);
      case Selector.Or or -> or.operands().stream().anyMatch(PolicyLabels::hasGlobal);
      case Selector.All _, Selector.Has _, Selector.Compare _, Selector.In _, Selector.NotIn _ ->
          false;
    };
  }

  private static Selector prefixed(Selector selector, String prefix, Selector forAll) {
    return switch (selector) {
      case Selector.All _ -> forAll;
      case Selector.Global global -> global;
      case Selector.Has has -> new Selector.Has(prefix + has.label());
      case Selector.Compare compare ->
          new Selector.Compare(prefix + compare.label(), compare.comparison(), compare.value());
      case Selector.In in -> new Selector.In(prefix + in.label(), in.values());
      case Selector.NotIn notIn -> new Selector.NotIn(prefix + notIn.label(), notIn.values());
      case Selector.Not not -> new Selector.Not(prefixed(not.operand(), prefix, forAll));
      case Selector.And and ->
          new Selector.And(
              and.operands().stream().map(term -> prefixed(term, prefix, forAll)).toList());
      case Selector.Or or ->
          new Selector.Or(
              or.operands().stream().map(term -> prefixed(term, prefix, forAll)).toList());
    };
  }
}

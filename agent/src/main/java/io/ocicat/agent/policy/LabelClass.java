package io.ocicat.agent.policy;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All items with the same labels and profiles: whatever a selector says of one, it says of all.
 * Pods of one deployment are one class, so a selector is evaluated once for them.
 */
final class LabelClass<I, U> {
  /** What items must have in common. */
  record Key(Map<String, String> labels, List<String> profiles) {}

  private final Key key;
  private final Set<I> items = new LinkedHashSet<>();
  private final Set<SelectorUsers<I, U>> matches = new HashSet<>();
  private Map<String, String> effective = Map.of();

  LabelClass(Key key) {
    this.key = key;
  }

  Key key() {
    return key;
  }

  Set<I> items() {
    return items;
  }

  /** The selectors that match. */
  Set<SelectorUsers<I, U>> matches() {
    return matches;
  }

  /** The labels of the items and those they inherit. */
  Map<String, String> effective() {
    return effective;
  }

  void setEffective(Map<String, String> labels) {
    effective = labels;
  }
}

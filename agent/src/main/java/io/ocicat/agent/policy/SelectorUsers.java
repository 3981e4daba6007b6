package io.ocicat.agent.policy;

import io.ocicat.datastore.selector.Selector;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** A selector with those who want to know what it matches, and the classes it matches now. */
final class SelectorUsers<I, U> {
  private final Selector selector;
  private final Optional<LabelCondition> condition;
  private final Set<U> users = new LinkedHashSet<>();
  private final Set<LabelClass<I, U>> classes = new HashSet<>();

  /**
   * @param condition by which it is found for a class; empty when it may match any
   */
  SelectorUsers(Selector selector, Optional<LabelCondition> condition) {
    this.selector = selector;
    this.condition = condition;
  }

  Selector selector() {
    return selector;
  }

  Optional<LabelCondition> condition() {
    return condition;
  }

  Set<U> users() {
    return users;
  }

  Set<LabelClass<I, U>> classes() {
    return classes;
  }

  void forEachItem(Consumer<I> action) {
    classes.forEach(one -> one.items().forEach(action));
  }
}

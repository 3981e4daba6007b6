package io.ocicat.agent.policy;

import io.ocicat.datastore.selector.Selector;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Which items each selector matches, kept up to date as items, labels of profiles and selectors
 * come and go. Items with equal labels form a {@link LabelClass}, and only classes are matched.
 *
 * <p>A new selector is evaluated against the classes that fulfil its most selective condition,
 * found by label and value; a new class against the selectors whose condition it fulfils. A label
 * is indexed when a selector first depends on it, so labels that nobody selects by cost nothing.
 *
 * @param <I> what has labels
 * @param <U> who uses selectors
 */
final class LabelIndex<I, U> {
  /** Learns what users of selectors match from now on, and what no longer. */
  interface Listener<I, U> {
    void added(U user, I item);

    void removed(U user, I item);
  }

  private final Function<String, Map<String, String>> profileLabels;
  private final Listener<I, U> listener;
  private final Map<LabelClass.Key, LabelClass<I, U>> classes = new HashMap<>();
  private final Map<String, Set<LabelClass<I, U>>> classesOfProfile = new HashMap<>();
  private final Map<String, Map<String, Set<LabelClass<I, U>>>> classesByLabel = new HashMap<>();
  private final Map<Selector, SelectorUsers<I, U>> selectors = new HashMap<>();
  private final Map<String, Map<String, Set<SelectorUsers<I, U>>>> selectorsByValue =
      new HashMap<>();
  private final Map<String, Set<SelectorUsers<I, U>>> selectorsByLabel = new HashMap<>();
  private final Set<SelectorUsers<I, U>> unconditional = new HashSet<>();

  LabelIndex(Function<String, Map<String, String>> profileLabels, Listener<I, U> listener) {
    this.profileLabels = profileLabels;
    this.listener = listener;
  }

  /** Adds an item; the class it belongs to is needed to remove it. */
  LabelClass<I, U> add(Map<String, String> labels, List<String> profiles, I item) {
    LabelClass.Key key = new LabelClass.Key(labels, profiles);
    LabelClass<I, U> existing = classes.get(key);
    LabelClass<I, U> itsClass = existing == null ? newClass(key) : existing;
    itsClass.items().add(item);
    itsClass
        .matches()
        .forEach(selector -> selector.users().forEach(user -> listener.added(user, item)));
    return itsClass;
  }

  private LabelClass<I, U> newClass(LabelClass.Key key) {
    LabelClass<I, U> created = new LabelClass<>(key);
    classes.put(key, created);
    for (String profile : key.profiles()) {
      classesOfProfile.computeIfAbsent(profile, _ -> new HashSet<>()).add(created);
    }
    relabel(created);
    return created;
  }

  void remove(LabelClass<I, U> itsClass, I item) {
    itsClass.items().remove(item);
    itsClass
        .matches()
        .forEach(selector -> selector.users().forEach(user -> listener.removed(user, item)));
    if (!itsClass.items().isEmpty()) {
      return;
    }
    classes.remove(itsClass.key());
    for (String profile : itsClass.key().profiles()) {
      removeFrom(classesOfProfile, profile, itsClass);
    }
    itsClass.matches().forEach(selector -> selector.classes().remove(itsClass));
    unindex(itsClass);
  }

  /** The labels of a profile are different now. */
  void profileChanged(String profile) {
    List.copyOf(classesOfProfile.getOrDefault(profile, Set.of())).forEach(this::relabel);
  }

  private void relabel(LabelClass<I, U> itsClass) {
    Map<String, String> labels = effective(itsClass.key());
    if (labels.equals(itsClass.effective()) && !itsClass.effective().isEmpty()) {
      return;
    }
    unindex(itsClass);
    itsClass.setEffective(labels);
    classesByLabel.forEach(
        (label, byValue) -> {
          String value = labels.get(label);
          if (value != null) {
            byValue.computeIfAbsent(value, _ -> new HashSet<>()).add(itsClass);
          }
        });
    match(itsClass);
  }

  private Map<String, String> effective(LabelClass.Key key) {
    Map<String, String> labels = new HashMap<>();
    for (String profile : key.profiles()) {
      profileLabels.apply(profile).forEach(labels::putIfAbsent);
    }
    labels.putAll(key.labels());
    return labels.size() == key.labels().size() ? key.labels() : Map.copyOf(labels);
  }

  private void unindex(LabelClass<I, U> itsClass) {
    itsClass
        .effective()
        .forEach(
            (label, value) -> {
              Map<String, Set<LabelClass<I, U>>> byValue = classesByLabel.get(label);
              if (byValue != null) {
                removeFrom(byValue, value, itsClass);
              }
            });
  }

  private void match(LabelClass<I, U> itsClass) {
    Set<SelectorUsers<I, U>> now = new HashSet<>();
    Map<String, String> labels = itsClass.effective();
    addMatching(unconditional, labels, now);
    labels.forEach(
        (label, value) -> {
          addMatching(selectorsByLabel.getOrDefault(label, Set.of()), labels, now);
          addMatching(
              selectorsByValue.getOrDefault(label, Map.of()).getOrDefault(value, Set.of()),
              labels,
              now);
        });
    for (SelectorUsers<I, U> selector : now) {
      if (itsClass.matches().add(selector)) {
        selector.classes().add(itsClass);
        itsClass.items().forEach(item -> selector.users().forEach(u -> listener.added(u, item)));
      }
    }
    for (SelectorUsers<I, U> selector : List.copyOf(itsClass.matches())) {
      if (!now.contains(selector)) {
        itsClass.matches().remove(selector);
        selector.classes().remove(itsClass);
        itsClass.items().forEach(item -> selector.users().forEach(u -> listener.removed(u, item)));
      }
    }
  }

  private static <I, U> void addMatching(
      Set<SelectorUsers<I, U>> candidates,
      Map<String, String> labels,
      Set<SelectorUsers<I, U>> matching) {
    for (SelectorUsers<I, U> candidate : candidates) {
      if (candidate.selector().matches(labels)) {
        matching.add(candidate);
      }
    }
  }

  /** Adds a user, who is not told what the selector matches already. */
  SelectorUsers<I, U> addUser(Selector selector, U user) {
    SelectorUsers<I, U> known = selectors.get(selector);
    SelectorUsers<I, U> entry = known == null ? newSelector(selector) : known;
    entry.users().add(user);
    return entry;
  }

  private SelectorUsers<I, U> newSelector(Selector selector) {
    Optional<LabelCondition> condition =
        LabelCondition.of(selector).stream()
            .min(
                Comparator.<LabelCondition>comparingInt(this::countCandidates)
                    .thenComparingInt(LabelCondition::rank));
    SelectorUsers<I, U> entry = new SelectorUsers<>(selector, condition);
    selectors.put(selector, entry);
    condition.ifPresentOrElse(found -> index(entry, found), () -> unconditional.add(entry));
    if (condition.isEmpty()) {
      matchAll(entry, classes.values());
    } else {
      candidates(condition.get()).forEach(some -> matchAll(entry, some));
    }
    return entry;
  }

  private void index(SelectorUsers<I, U> entry, LabelCondition condition) {
    if (condition.anyValue()) {
      selectorsByLabel.computeIfAbsent(condition.label(), _ -> new HashSet<>()).add(entry);
      return;
    }
    Map<String, Set<SelectorUsers<I, U>>> byValue =
        selectorsByValue.computeIfAbsent(condition.label(), _ -> new HashMap<>());
    condition
        .values()
        .forEach(value -> byValue.computeIfAbsent(value, _ -> new HashSet<>()).add(entry));
  }

  private void matchAll(SelectorUsers<I, U> entry, Collection<LabelClass<I, U>> candidates) {
    for (LabelClass<I, U> candidate : candidates) {
      if (entry.selector().matches(candidate.effective())) {
        entry.classes().add(candidate);
        candidate.matches().add(entry);
      }
    }
  }

  private int countCandidates(LabelCondition condition) {
    return candidates(condition).stream().mapToInt(Set::size).sum();
  }

  private Collection<Set<LabelClass<I, U>>> candidates(LabelCondition condition) {
    Map<String, Set<LabelClass<I, U>>> byValue =
        classesByLabel.computeIfAbsent(condition.label(), this::indexLabel);
    return condition.anyValue()
        ? byValue.values()
        : condition.values().stream().map(value -> byValue.getOrDefault(value, Set.of())).toList();
  }

  private Map<String, Set<LabelClass<I, U>>> indexLabel(String label) {
    Map<String, Set<LabelClass<I, U>>> byValue = new HashMap<>();
    for (LabelClass<I, U> one : classes.values()) {
      String value = one.effective().get(label);
      if (value != null) {
        byValue.computeIfAbsent(value, _ -> new HashSet<>()).add(one);
      }
    }
    return byValue;
  }

  /** Removes a user, who is not told what it no longer matches. */
  void removeUser(SelectorUsers<I, U> entry, U user) {
    entry.users().remove(user);
    if (!entry.users().isEmpty()) {
      return;
    }
    selectors.remove(entry.selector());
    entry.classes().forEach(one -> one.matches().remove(entry));
    unconditional.remove(entry);
    entry
        .condition()
        .ifPresent(
            condition -> {
              if (condition.anyValue()) {
                removeFrom(selectorsByLabel, condition.label(), entry);
              }
              Map<String, Set<SelectorUsers<I, U>>> byValue =
                  selectorsByValue.getOrDefault(condition.label(), Map.of());
              condition.values().forEach(value -> removeFrom(byValue, value, entry));
            });
  }

  private static <K, V> void removeFrom(Map<K, Set<V>> sets, K key, V value) {
    Set<V> set = sets.get(key);
    if (set != null) {
      set.remove(value);
      if (set.isEmpty()) {
        sets.remove(key);
      }
    }
  }
}

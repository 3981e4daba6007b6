package io.ocicat.agent.desired;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Desired values by key, each contributed by a source. When several sources contribute to one key,
 * the preferred value wins; between equals, that of the source that sorts first. So the result
 * depends only on what is contributed now, not on the order in which it came.
 *
 * <p>A contribution is replaced as a whole, and the keys whose winner changed are collected, so
 * that a change costs what it touches.
 *
 * @param <K> identifies an object in the kernel
 * @param <V> what the object should be
 */
public final class Contributions<K, V> {
  private final Comparator<V> preference;
  private final Map<Source, Map<K, V>> bySource = new HashMap<>();

  /** In the order of sources. */
  private final Map<K, TreeMap<Source, V>> byKey = new HashMap<>();

  private final Set<K> changed = new LinkedHashSet<>();

  Contributions(Comparator<V> preference) {
    this.preference = preference;
  }

  /** For values of which none is better than another. */
  Contributions() {
    this((_, _) -> 0);
  }

  /** Replaces everything that the source contributes. */
  public void set(Source source, Map<K, V> values) {
    Map<K, V> before =
        values.isEmpty() ? bySource.remove(source) : bySource.put(source, Map.copyOf(values));
    if (before != null) {
      before.keySet().stream()
          .filter(key -> !values.containsKey(key))
          .forEach(key -> withWinner(key, candidates -> candidates.remove(source)));
    }
    values.forEach(
        (key, value) -> {
          if (before == null || !value.equals(before.get(key))) {
            withWinner(key, candidates -> candidates.put(source, value));
          }
        });
  }

  /** Drops what sources of an origin contributed that no longer exist. */
  public void retain(Source.Origin origin, Set<Source> sources) {
    Set.copyOf(bySource.keySet()).stream()
        .filter(source -> source.origin() == origin && !sources.contains(source))
        .forEach(source -> set(source, Map.of()));
  }

  private void withWinner(K key, Consumer<Map<Source, V>> change) {
    Optional<V> before = get(key);
    TreeMap<Source, V> candidates = byKey.computeIfAbsent(key, _ -> new TreeMap<>());
    change.accept(candidates);
    if (candidates.isEmpty()) {
      byKey.remove(key);
    }
    if (!before.equals(get(key))) {
      changed.add(key);
    }
  }

  /** What the key should be; empty when nobody wants it. */
  public Optional<V> get(K key) {
    return winner(key).map(Map.Entry::getValue);
  }

  /** Where the value comes from; empty when nobody wants the key. */
  public Optional<Source> source(K key) {
    return winner(key).map(Map.Entry::getKey);
  }

  private Optional<Map.Entry<Source, V>> winner(K key) {
    TreeMap<Source, V> candidates = byKey.get(key);
    if (candidates == null) {
      return Optional.empty();
    }
    return candidates.size() == 1
        ? Optional.of(candidates.firstEntry())
        : candidates.entrySet().stream().min(Map.Entry.comparingByValue(preference));
  }

  public Set<K> keys() {
    return Set.copyOf(byKey.keySet());
  }

  public int size() {
    return byKey.size();
  }

  public void forEach(BiConsumer<K, V> action) {
    byKey.keySet().forEach(key -> action.accept(key, get(key).orElseThrow()));
  }

  /** Everything that is wanted now, for comparison. */
  public Map<K, V> all() {
    Map<K, V> all = new HashMap<>();
    forEach(all::put);
    return all;
  }

  /** The keys whose value changed since the last call. */
  public Set<K> takeChanged() {
    Set<K> taken = Set.copyOf(changed);
    changed.clear();
    return taken;
  }
}

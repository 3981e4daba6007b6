package io.ocicat.agent.policy;

import io.ocicat.agent.policy.model.PolicyProfile;
import io.ocicat.agent.policy.model.SuppliedProfiles;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The profiles by name: stored ones, those that always exist, those that the agent supplies where
 * nobody stores them, and for any other name one that denies.
 */
final class Profiles {
  /** More than a cluster has at a time; namespaces that are gone must not stay for ever. */
  private static final int CACHED = 10_000;

  private final boolean supplies;
  private final Map<String, PolicyProfile> stored = new HashMap<>();
  private final Map<String, Map<String, String>> namespaces = new HashMap<>();

  /** What was found for names that are not stored; they would be made for every endpoint. */
  private final Map<String, PolicyProfile> notStored = new HashMap<>();

  Profiles(boolean supplies) {
    this.supplies = supplies;
  }

  PolicyProfile find(String name) {
    PolicyProfile found = stored.get(name);
    if (found != null) {
      return found;
    }
    if (notStored.size() >= CACHED) {
      notStored.clear();
    }
    return notStored.computeIfAbsent(name, this::findElsewhere);
  }

  private PolicyProfile findElsewhere(String name) {
    return SuppliedProfiles.builtIn(name)
        .or(
            () ->
                supplies
                    ? SuppliedProfiles.find(name, ns -> namespaces.getOrDefault(ns, Map.of()))
                    : Optional.empty())
        .orElseGet(() -> PolicyProfile.closed(name));
  }

  Map<String, String> labels(String name) {
    return find(name).labels();
  }

  void put(PolicyProfile profile) {
    stored.put(profile.name(), profile);
    notStored.remove(profile.name());
  }

  void remove(String name) {
    stored.remove(name);
    notStored.remove(name);
  }

  Collection<String> names() {
    return List.copyOf(stored.keySet());
  }

  void putNamespace(String namespace, Map<String, String> labels) {
    namespaces.put(namespace, Map.copyOf(labels));
    notStored.remove(SuppliedProfiles.profileOf(namespace));
  }

  void removeNamespace(String namespace) {
    namespaces.remove(namespace);
    notStored.remove(SuppliedProfiles.profileOf(namespace));
  }

  Collection<String> namespaces() {
    return List.copyOf(namespaces.keySet());
  }
}

package io.ocicat.cli.store;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.kv.TransactionOutcome;
import io.ocicat.datastore.kv.UnknownKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Keys and values of kinds that this version does not know. They are copied with the resources,
 * byte for byte, and always reported (review K3).
 */
record RawKeys(List<KeyValue> entries) {
  static final String KIND = "RawKey";

  RawKeys {
    entries = List.copyOf(entries);
  }

  /** Empty for Kubernetes, which has no keys. */
  static RawKeys of(Datastore datastore) {
    return new RawKeys(
        datastore instanceof KeyValueDatastore keys ? UnknownKeys.of(keys.store()) : List.of());
  }

  int count() {
    return entries.size();
  }

  /** How many of what, in the order of names. */
  Map<String, Integer> groups() {
    Map<String, Integer> groups = new TreeMap<>();
    entries.forEach(entry -> groups.merge(UnknownKeys.group(entry), 1, Integer::sum));
    return groups;
  }

  /** As in "livemigrations (2), bgp/v1 (1)". */
  String names() {
    List<String> names = new ArrayList<>();
    groups().forEach((name, count) -> names.add("%s (%d)".formatted(name, count)));
    return String.join(", ", names);
  }

  /** Why they cannot be copied, a line each. */
  List<String> conflicts(Datastore target) {
    List<String> conflicts = new ArrayList<>();
    Optional<KeyValueStore> store = store(target);
    for (KeyValue entry : store.isEmpty() ? List.<KeyValue>of() : entries) {
      Optional<KeyValue> other = store.get().get(entry.key());
      if (other.isPresent() && !other.get().value().equals(entry.value())) {
        conflicts.add(
            "key %s has another value in the target: delete one of the two".formatted(entry.key()));
      }
    }
    return conflicts;
  }

  /**
   * Writes those that do not exist yet.
   *
   * @return their number, or empty where the target has no keys
   */
  Optional<Integer> copyTo(Datastore target) {
    Optional<KeyValueStore> store = store(target);
    if (store.isEmpty()) {
      return Optional.empty();
    }
    int copied = 0;
    for (KeyValue entry : entries) {
      TransactionOutcome outcome =
          store.get().commit(Transaction.create(entry.key(), entry.value()));
      if (outcome instanceof TransactionOutcome.Committed) {
        copied++;
      } else if (!store
          .get()
          .get(entry.key())
          .map(KeyValue::value)
          .equals(Optional.of(entry.value()))) {
        throw new ExistsException("key %s has another value in the target".formatted(entry.key()));
      }
    }
    return Optional.of(copied);
  }

  /** What is missing or different in the target, a line each. */
  List<String> differences(Datastore target) {
    List<String> lines = new ArrayList<>();
    Optional<KeyValueStore> store = store(target);
    for (KeyValue entry : store.isEmpty() ? List.<KeyValue>of() : entries) {
      Optional<String> copied = store.get().get(entry.key()).map(KeyValue::value);
      if (!copied.equals(Optional.of(entry.value()))) {
        lines.add("key %s is not the same in the target".formatted(entry.key()));
      }
    }
    return lines;
  }

  private static Optional<KeyValueStore> store(Datastore datastore) {
    return datastore instanceof KeyValueDatastore keys
        ? Optional.of(keys.store())
        : Optional.empty();
  }

  /** Each as a document of an export. */
  List<ObjectNode> documents(String apiVersion) {
    return entries.stream()
        .map(
            entry ->
                Json.object()
                    .put("apiVersion", apiVersion)
                    .put("kind", KIND)
                    .put("key", entry.key())
                    .put("value", entry.value()))
        .toList();
  }

  static boolean isOne(JsonNode document) {
    return document.path("kind").asString("").equals(KIND);
  }

  static KeyValue parse(JsonNode document) {
    return new KeyValue(
        document.path("key").asString(""), document.path("value").asString(""), 0, 0, 0);
  }
}

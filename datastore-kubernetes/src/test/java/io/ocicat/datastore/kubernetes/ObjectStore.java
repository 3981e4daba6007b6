package io.ocicat.datastore.kubernetes;

import io.ocicat.datastore.kubernetes.client.JsonTrees;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import tools.jackson.databind.node.ObjectNode;

/**
 * The storage of the test API server: objects of any kind, one revision for all of them, and every
 * change. Thread-safe.
 */
final class ObjectStore {
  /** A change at a revision. */
  record Change(long revision, String type, String collection, String key, ObjectNode object) {}

  private final List<Change> log = new ArrayList<>();
  private final Map<String, Map<String, ObjectNode>> collections = new TreeMap<>();
  private long revision = 100;
  private long compacted;

  synchronized long revision() {
    return revision;
  }

  synchronized Optional<ObjectNode> get(String collection, String key) {
    return Optional.ofNullable(collections.getOrDefault(collection, Map.of()).get(key))
        .map(ObjectNode::deepCopy);
  }

  /** Returns the objects at a revision, in key order. */
  synchronized Map<String, ObjectNode> at(String collection, long wanted) {
    Map<String, ObjectNode> state = new TreeMap<>();
    for (Change change : log) {
      if (change.revision() <= wanted && change.collection().equals(collection)) {
        if (change.type().equals("DELETED")) {
          state.remove(change.key());
        } else {
          state.put(change.key(), change.object());
        }
      }
    }
    return state;
  }

  /** The store sets the UID and time. */
  synchronized ObjectNode add(String collection, String key, ObjectNode object) {
    ObjectNode added = object.deepCopy();
    ObjectNode metadata = added.withObject("/metadata");
    metadata.put("uid", UUID.randomUUID().toString());
    metadata.put("creationTimestamp", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    metadata.put("generation", 1);
    metadata.putArray("managedFields").addObject().put("manager", "test");
    return commit("ADDED", collection, key, added);
  }

  synchronized ObjectNode replace(String collection, String key, ObjectNode object) {
    ObjectNode before = get(collection, key).orElseThrow();
    ObjectNode after = object.deepCopy();
    ObjectNode metadata = after.withObject("/metadata");
    for (String kept : List.of("uid", "creationTimestamp", "generation", "managedFields")) {
      metadata.set(kept, JsonTrees.metadata(before).path(kept));
    }
    return commit("MODIFIED", collection, key, after);
  }

  synchronized ObjectNode remove(String collection, String key) {
    ObjectNode last = get(collection, key).orElseThrow();
    ObjectNode gone = commit("DELETED", collection, key, last);
    collections.computeIfAbsent(collection, _ -> new TreeMap<>()).remove(key);
    return gone;
  }

  private ObjectNode commit(String type, String collection, String key, ObjectNode object) {
    revision++;
    object.withObject("/metadata").put("resourceVersion", String.valueOf(revision));
    collections.computeIfAbsent(collection, _ -> new TreeMap<>()).put(key, object);
    log.add(new Change(revision, type, collection, key, object.deepCopy()));
    notifyAll();
    return object.deepCopy();
  }

  /** Returns all changes of a collection after a revision. */
  synchronized List<Change> changes(String collection, long behind) {
    return log.stream()
        .filter(change -> change.revision() > behind && change.collection().equals(collection))
        .toList();
  }

  /** Drops all changes so far. */
  synchronized void compact() {
    compacted = revision;
  }

  synchronized boolean isForgotten(long wanted) {
    return wanted < compacted;
  }

  /** Returns the first matching change after a revision, waiting a while for one. */
  synchronized Optional<Change> next(long behind, Predicate<Change> wanted, Duration timeout)
      throws InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      for (int at = firstBehind(behind); at < log.size(); at++) {
        if (wanted.test(log.get(at))) {
          return Optional.of(log.get(at));
        }
      }
      long left = (deadline - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        return Optional.empty();
      }
      wait(left);
    }
  }

  private int firstBehind(long behind) {
    int at = log.size();
    while (at > 0 && log.get(at - 1).revision() > behind) {
      at--;
    }
    return at;
  }
}

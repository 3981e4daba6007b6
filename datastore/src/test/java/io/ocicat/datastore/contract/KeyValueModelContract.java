package io.ocicat.datastore.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.kv.Change;
import io.ocicat.datastore.kv.Condition;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueEvent;
import io.ocicat.datastore.kv.KeyValuePage;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.KeyValueWatch;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.kv.TransactionOutcome;
import io.ocicat.testkit.Seeded;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Random transactions, reads of past revisions, compactions and restarts, compared with a small
 * model.
 */
public abstract class KeyValueModelContract extends KeyValueStoreFixture {
  private static final int STEPS = 250;
  private static final List<String> KEYS =
      List.of("/a", "/a/", "/a/1", "/a/2", "/ab", "/b", "/b/1");
  private static final List<String> PREFIXES = List.of("", "/", "/a", "/a/", "/b/", "/c");

  /** Every past state, by its revision. */
  private final TreeMap<Long, SortedMap<String, KeyValue>> states = new TreeMap<>();

  private final List<KeyValueEvent> events = new ArrayList<>();
  private long compacted;
  private String base = "";

  @Test
  void behavesLikeTheModel() {
    Seeded.forAll(1, this::run);
  }

  private void run(Random random) {
    // Rounds share a store: each has keys of its own and begins where the last one stopped.
    base = "/m" + random.nextLong(Long.MAX_VALUE);
    long start = store().range(RangeQuery.all(base)).revision();
    states.clear();
    states.put(start, new TreeMap<>());
    events.clear();
    compacted = start;
    for (int step = 0; step < STEPS; step++) {
      switch (random.nextInt(20)) {
        case 0 -> {
          compacted += random.nextLong(states.lastKey() - compacted + 1);
          compact(compacted);
        }
        case 1 -> reopen();
        case 2, 3, 4 -> checkPast(random);
        default -> transact(random.nextBoolean() ? store() : another(), random);
      }
    }
    checkWatch();
  }

  private void transact(KeyValueStore door, Random random) {
    List<String> keys = new ArrayList<>(KEYS.stream().map(key -> base + key).toList());
    Collections.shuffle(keys, random);
    List<Condition> conditions = new ArrayList<>();
    List<Change> changes = new ArrayList<>();
    SortedMap<String, KeyValue> now = states.lastEntry().getValue();
    for (String key : keys.subList(0, random.nextInt(4))) {
      KeyValue there = now.get(key);
      long modified = there == null ? 0 : there.modified();
      conditions.add(new Condition(key, random.nextInt(8) == 0 ? modified + 1 : modified));
    }
    Collections.shuffle(keys, random);
    for (String key : keys.subList(0, random.nextInt(4))) {
      changes.add(
          random.nextInt(3) == 0
              ? new Change.Delete(key)
              : new Change.Put(key, "v" + random.nextInt(100)));
    }
    Transaction transaction = new Transaction(conditions, changes);
    assertThat(door.commit(transaction)).isEqualTo(apply(transaction));
  }

  private TransactionOutcome apply(Transaction transaction) {
    long head = states.lastKey();
    SortedMap<String, KeyValue> now = states.lastEntry().getValue();
    Map<String, KeyValue> current = new HashMap<>();
    boolean holds = true;
    for (Condition condition : transaction.conditions()) {
      KeyValue there = now.get(condition.key());
      if (there != null) {
        current.put(there.key(), there);
      }
      holds &= (there == null ? 0 : there.modified()) == condition.modified();
    }
    if (!holds) {
      return new TransactionOutcome.Refused(head, current);
    }
    SortedMap<String, KeyValue> next = new TreeMap<>(now);
    List<KeyValue> deleted = new ArrayList<>();
    boolean changed = false;
    for (Change change : transaction.changes()) {
      KeyValue before = next.get(change.key());
      switch (change) {
        case Change.Put put -> {
          long created = before == null ? head + 1 : before.created();
          KeyValue after = new KeyValue(put.key(), put.value(), created, head + 1, 0);
          next.put(put.key(), after);
          events.add(new KeyValueEvent.Put(after));
          changed = true;
        }
        case Change.Delete delete -> {
          if (before != null) {
            next.remove(delete.key());
            deleted.add(before);
            events.add(new KeyValueEvent.Deleted(delete.key(), head + 1, before));
            changed = true;
          }
        }
      }
    }
    if (changed) {
      states.put(head + 1, next);
    }
    return new TransactionOutcome.Committed(changed ? head + 1 : head, deleted);
  }

  private void checkPast(Random random) {
    long revision = compacted + random.nextLong(states.lastKey() - compacted + 1);
    String prefix = base + PREFIXES.get(random.nextInt(PREFIXES.size()));
    List<KeyValue> expected =
        states.floorEntry(revision).getValue().values().stream()
            .filter(e -> e.key().startsWith(prefix))
            .toList();
    RangeQuery query = RangeQuery.all(prefix).at(revision).limit(random.nextInt(4));
    List<KeyValue> read = new ArrayList<>();
    KeyValuePage page = store().range(query);
    read.addAll(page.entries());
    while (page.more()) {
      query = query.nextPage(page);
      page = store().range(query);
      read.addAll(page.entries());
    }
    assertThat(read).isEqualTo(expected);
    assertThat(page.revision()).isEqualTo(revision);
  }

  /**
   * After the compacted revision every change is seen, with the previous value; of its own changes
   * some engines have dropped deletions.
   */
  private void checkWatch() {
    long last = states.lastKey();
    if (last == compacted) {
      return;
    }
    try (KeyValueWatch watch = store().watch(base, compacted + 1)) {
      assertThat(Watching.upTo(watch, last))
          .isEqualTo(events.stream().filter(e -> e.revision() > compacted).toList());
    }
  }
}

package io.ocicat.datastore.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.kv.Change;
import io.ocicat.datastore.kv.Condition;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueEvent;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.KeyValueWatch;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.kv.TransactionOutcome;
import io.ocicat.testkit.Seeded;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Many concurrent writers, through several clients, and watches that see their changes. */
public abstract class KeyValueConcurrencyContract extends KeyValueStoreFixture {
  private static final int WRITERS = 8;

  @Test
  void noIncrementIsLost() throws Exception {
    put("/counter", "0");
    int each = 50;
    List<KeyValueStore> doors = List.of(store(), another());

    together(
        WRITERS,
        writer -> {
          KeyValueStore door = doors.get(writer % doors.size());
          for (int done = 0; done < each; ) {
            KeyValue read = door.get("/counter").orElseThrow();
            String next = String.valueOf(Integer.parseInt(read.value()) + 1);
            if (door.commit(Transaction.update("/counter", read.modified(), next))
                instanceof TransactionOutcome.Committed) {
              done++;
            }
          }
        });

    assertThat(store().get("/counter"))
        .map(KeyValue::value)
        .contains(String.valueOf(WRITERS * each));
  }

  @Test
  void oneOfManyCreatesWins() throws Exception {
    for (int round = 0; round < 20; round++) {
      String key = "/round/" + round;
      List<KeyValueStore> doors = List.of(store(), another());
      Map<Long, Integer> winners = new ConcurrentSkipListMap<>();
      together(
          WRITERS,
          writer -> {
            TransactionOutcome outcome =
                doors
                    .get(writer % doors.size())
                    .commit(Transaction.create(key, String.valueOf(writer)));
            if (outcome instanceof TransactionOutcome.Committed) {
              winners.put(outcome.revision(), writer);
            }
          });
      assertThat(winners).hasSize(1);
      assertThat(store().get(key))
          .map(KeyValue::value)
          .contains(String.valueOf(winners.values().iterator().next()));
    }
  }

  /**
   * The history checker: every writer records its results, and two watches observe, one from the
   * beginning and one that is closed and resumed all the time. All three must agree.
   */
  @Test
  void everyCommittedChangeIsSeenOnceAndInOrder() {
    Seeded.forAll(1, this::checkHistory);
  }

  private void checkHistory(Random random) throws Exception {
    // Rounds share a store, so each has keys of its own.
    String base = "/h" + random.nextLong(Long.MAX_VALUE) + "/";
    long start = put(base + "start", "");
    List<KeyValueStore> doors = List.of(store(), another());
    Map<Long, List<Change>> committed = new ConcurrentSkipListMap<>();
    List<Long> seeds = random.longs(WRITERS).boxed().toList();
    try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor();
        KeyValueWatch steady = another().watch(base, start + 1)) {
      Future<List<KeyValueEvent>> restless =
          readers.submit(() -> readRestlessly(store(), base, start + 1));

      together(
          WRITERS,
          writer ->
              write(
                  doors.get(writer % doors.size()),
                  new Random(seeds.get(writer)),
                  base,
                  committed));
      long last = put(base + "end", "");
      committed.put(last, List.of(new Change.Put(base + "end", "")));

      List<KeyValueEvent> seen = Watching.upTo(steady, last);
      assertThat(committed.keySet())
          .as("revisions are given once and without gaps")
          .hasSize((int) (last - start));
      assertThat(changesOf(seen)).isEqualTo(committed);
      assertThat(seen).extracting(KeyValueEvent::revision).isSorted();
      assertThat(restless.get(60, TimeUnit.SECONDS)).isEqualTo(seen);
      assertThat(store().range(RangeQuery.all(base)).entries())
          .isEqualTo(replay(base + "start", start, seen));
    }
  }

  /** Puts, deletes and small transactions on few keys, each conditional on what was read. */
  private static void write(
      KeyValueStore door, Random random, String base, Map<Long, List<Change>> committed) {
    for (int i = 0; i < 60; i++) {
      List<Condition> conditions = new ArrayList<>();
      List<Change> changes = new ArrayList<>();
      for (String key :
          random.nextInt(4) == 0
              ? List.of(base + "x", base + "y")
              : List.of(base + "k" + random.nextInt(6))) {
        Optional<KeyValue> read = door.get(key);
        conditions.add(new Condition(key, read.map(KeyValue::modified).orElse(0L)));
        changes.add(
            read.isPresent() && random.nextInt(3) == 0
                ? new Change.Delete(key)
                : new Change.Put(key, "v" + random.nextInt(1000)));
      }
      if (door.commit(new Transaction(conditions, changes))
          instanceof TransactionOutcome.Committed done) {
        assertThat(committed.put(done.revision(), changes)).isNull();
      }
    }
  }

  private static List<KeyValueEvent> readRestlessly(KeyValueStore door, String base, long from) {
    List<KeyValueEvent> all = new ArrayList<>();
    long next = from;
    while (all.isEmpty() || !all.getLast().key().equals(base + "end")) {
      try (KeyValueWatch watch = door.watch(base, next)) {
        KeyValueWatch.Batch batch = Watching.firstWithEvents(watch);
        all.addAll(batch.events());
        next = batch.revision() + 1;
      }
    }
    return all;
  }

  private static Map<Long, List<Change>> changesOf(List<KeyValueEvent> events) {
    Map<Long, List<Change>> changes = new TreeMap<>();
    for (KeyValueEvent event : events) {
      changes
          .computeIfAbsent(event.revision(), _ -> new ArrayList<>())
          .add(
              switch (event) {
                case KeyValueEvent.Put put ->
                    new Change.Put(put.key(), put.entry().value(), put.entry().lease());
                case KeyValueEvent.Deleted deleted -> new Change.Delete(deleted.key());
              });
    }
    return changes;
  }

  private static List<KeyValue> replay(String startKey, long start, List<KeyValueEvent> events) {
    Map<String, KeyValue> state = new TreeMap<>();
    state.put(startKey, new KeyValue(startKey, "", start, start, 0));
    for (KeyValueEvent event : events) {
      switch (event) {
        case KeyValueEvent.Put put -> {
          assertThat(put.isNew()).isEqualTo(!state.containsKey(put.key()));
          state.put(put.key(), put.entry());
        }
        case KeyValueEvent.Deleted deleted ->
            assertThat(deleted.last()).isEqualTo(state.remove(deleted.key()));
      }
    }
    return List.copyOf(state.values());
  }

  /** One thread per writer; the first failure fails the test. */
  private static void together(int count, Writer writer) throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Boolean>> tasks = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int number = i;
        tasks.add(
            () -> {
              writer.write(number);
              return true;
            });
      }
      for (Future<Boolean> done : threads.invokeAll(tasks, 120, TimeUnit.SECONDS)) {
        done.get();
      }
    }
  }

  /** One of several concurrent writers. */
  @FunctionalInterface
  private interface Writer {
    void write(int number) throws Exception;
  }
}

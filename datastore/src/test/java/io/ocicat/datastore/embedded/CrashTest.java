package io.ocicat.datastore.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueEvent;
import io.ocicat.datastore.kv.KeyValueWatch;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Eventually;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that are killed while they write lose nothing that was committed. */
class CrashTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  @TempDir Path directory;

  @Test
  void whatAKilledProcessHasCommittedIsThere() {
    for (int round = 0; round < 2; round++) {
      List<String> told = writeAndKill("round" + round, 100 + 150 * round);
      try (EmbeddedStore store = EmbeddedStore.open(directory)) {
        assertThat(store.check()).isEmpty();
        TreeMap<String, String> last = new TreeMap<>();
        long highest = 0;
        for (String line : told) {
          String[] parts = line.split(" ", 3);
          assertThat(Long.parseLong(parts[0])).isGreaterThan(highest);
          highest = Long.parseLong(parts[0]);
          last.put(parts[1], parts[2]);
        }
        long head = store.range(RangeQuery.all("")).revision();
        // One more may have been committed but not printed.
        assertThat(head).isBetween(highest, highest + 1);
        try (KeyValueWatch watch = store.watch("/", highest - told.size() + 1)) {
          assertThat(eventsUpTo(watch, highest))
              .filteredOn(event -> event.revision() <= highest(told))
              .extracting(CrashTest::describe)
              .isEqualTo(told);
        }
        if (head == highest) {
          last.forEach(
              (key, value) -> assertThat(store.get(key)).map(KeyValue::value).contains(value));
        }
        store.commit(Transaction.put("/after", "round " + round));
      }
    }
  }

  private static long highest(List<String> told) {
    return Long.parseLong(told.getLast().split(" ", 2)[0]);
  }

  private List<String> writeAndKill(String name, int lines) {
    try (Background child = ChildJvm.writer(directory, name)) {
      Eventually.await(
          lines + " commits",
          LIMIT,
          () -> child.stdout().lines().count() > lines || !child.isAlive());
      assertThat(child.isAlive()).as(child.stderr()).isTrue();
      ProcessHandle.of(child.pid()).orElseThrow().destroyForcibly();
      Eventually.await("its end", LIMIT, () -> !child.isAlive());
      String out = child.stdout();
      // An incomplete line does not count.
      return out.substring(0, out.lastIndexOf('\n') + 1).lines().toList();
    }
  }

  @Test
  void aWatchSeesWhatOtherProcessesDoUntilTheyAreKilledAndAfterwards() {
    try (EmbeddedStore store = EmbeddedStore.open(directory);
        KeyValueWatch watch = store.watch("/", 2)) {
      List<KeyValueEvent> seen = new ArrayList<>();
      long next = 2;
      for (int round = 0; round < 2; round++) {
        List<String> told = new ArrayList<>();
        try (Background a = ChildJvm.writer(directory, "a" + round);
            Background b = ChildJvm.writer(directory, "b" + round)) {
          int wanted = seen.size() + 200;
          long deadline = System.nanoTime() + LIMIT.toNanos();
          while (seen.size() < wanted && System.nanoTime() < deadline) {
            seen.addAll(watch.next(Duration.ofSeconds(1)).events());
            store.get("/a0/0");
          }
          ProcessHandle.of(a.pid()).orElseThrow().destroyForcibly();
          ProcessHandle.of(b.pid()).orElseThrow().destroyForcibly();
          Eventually.await("their end", LIMIT, () -> !a.isAlive() && !b.isAlive());
          told.addAll(a.stdout().lines().toList());
          told.addAll(b.stdout().lines().toList());
        }
        long head = store.range(RangeQuery.all("")).revision();
        seen.addAll(eventsUpTo(watch, head));
        List<String> described = seen.stream().map(CrashTest::describe).toList();
        assertThat(described).containsAll(told.stream().filter(this::isWhole).toList());
        for (KeyValueEvent event : seen.subList((int) (next - 2), seen.size())) {
          assertThat(event.revision()).isEqualTo(next++);
        }
        assertThat(next - 1).isEqualTo(head);
      }
    }
  }

  /** The last line of a killed process may be incomplete. */
  private boolean isWhole(String line) {
    return line.matches("\\d+ /\\w+/\\d+ \\w+ \\d+") && line.split(" ").length == 4;
  }

  private static List<KeyValueEvent> eventsUpTo(KeyValueWatch watch, long revision) {
    List<KeyValueEvent> events = new ArrayList<>();
    long deadline = System.nanoTime() + LIMIT.toNanos();
    long at = 0;
    while (at < revision) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      KeyValueWatch.Batch batch = watch.next(Duration.ofMillis(100));
      events.addAll(batch.events());
      at = batch.revision();
    }
    return events;
  }

  private static String describe(KeyValueEvent event) {
    return event instanceof KeyValueEvent.Put put
        ? put.revision() + " " + put.key() + " " + put.entry().value()
        : event.revision() + " " + event.key() + " deleted";
  }
}

package io.ocicat.datastore.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.kv.Change;
import io.ocicat.datastore.kv.Condition;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValuePage;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.kv.TransactionOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The contract of reads and writes. Watches, leases and concurrent writers have suites of their
 * own.
 */
public abstract class KeyValueStoreContract extends KeyValueStoreFixture {

  @Test
  void anEmptyStoreHasRevisionOneAndNoKeys() {
    assertThat(store().range(RangeQuery.all(""))).isEqualTo(new KeyValuePage(1, List.of(), false));
    assertThat(store().get("/a")).isEmpty();
  }

  @Test
  void whatIsPutIsRead() {
    long revision = put("/a", "one");

    assertThat(store().get("/a")).contains(new KeyValue("/a", "one", revision, revision, 0));
    assertThat(another().get("/a")).isEqualTo(store().get("/a"));
  }

  @Test
  void textOfAnyKindComesBackAsItWas() {
    String text = "ünïcode 猫 \uD83D\uDC08 \" \\ \t \r\n % ' _ * \u2028 { }";
    for (String value : List.of("", "{}", text, "x".repeat(1 << 20))) {
      put("/" + text, value);
      assertThat(store().get("/" + text)).map(KeyValue::value).contains(value);
    }
  }

  @Test
  void eachTransactionRaisesTheRevisionByOne() {
    long first = put("/a", "1");

    assertThat(put("/b", "1")).isEqualTo(first + 1);
    assertThat(committed(Transaction.delete("/a")).revision()).isEqualTo(first + 2);
    assertThat(put("/a", "2")).isEqualTo(first + 3);
    assertThat(store().range(RangeQuery.all("")).revision()).isEqualTo(first + 3);
  }

  @Test
  void aKeyRemembersWhichRevisionMadeIt() {
    long made = put("/a", "1");
    long changed = put("/a", "2");
    assertThat(store().get("/a")).contains(new KeyValue("/a", "2", made, changed, 0));

    committed(Transaction.delete("/a"));
    long again = put("/a", "3");
    assertThat(store().get("/a")).contains(new KeyValue("/a", "3", again, again, 0));
  }

  @Test
  void createIsRefusedWhenTheKeyIsThere() {
    put("/a", "1");
    KeyValue there = store().get("/a").orElseThrow();

    TransactionOutcome outcome = store().commit(Transaction.create("/a", "2"));

    assertThat(outcome).isInstanceOf(TransactionOutcome.Refused.class);
    assertThat(((TransactionOutcome.Refused) outcome).current())
        .containsOnly(Map.entry("/a", there));
    assertThat(store().get("/a")).contains(there);
    assertThat(outcome.revision()).isEqualTo(there.modified());
  }

  @Test
  void updateIsRefusedAfterAConcurrentChange() {
    long read = put("/a", "1");
    long faster = put("/a", "2");

    TransactionOutcome.Refused refused = refused(Transaction.update("/a", read, "3"));

    assertThat(refused.current().get("/a")).isEqualTo(store().get("/a").orElseThrow());
    assertThat(committed(Transaction.update("/a", faster, "3")).revision()).isEqualTo(faster + 1);
  }

  @Test
  void updateOfAKeyThatIsGoneIsRefusedAndSaysSo() {
    long read = put("/a", "1");
    committed(Transaction.delete("/a"));

    assertThat(refused(Transaction.update("/a", read, "2")).current()).isEmpty();
    assertThat(store().get("/a")).isEmpty();
  }

  @Test
  void aRecreatedKeyIsNotTheOneThatWasRead() {
    long read = put("/a", "1");
    committed(Transaction.delete("/a"));
    put("/a", "1");

    assertThat(refused(Transaction.update("/a", read, "2")).current()).containsKey("/a");
  }

  @Test
  void deleteReturnsWhatItRemoved() {
    put("/a", "1");
    KeyValue there = store().get("/a").orElseThrow();

    assertThat(committed(Transaction.delete("/a")).deleted()).containsExactly(there);
    assertThat(store().get("/a")).isEmpty();
  }

  @Test
  void deleteOfNothingChangesNothing() {
    long revision = put("/a", "1");

    assertThat(committed(Transaction.delete("/b")))
        .isEqualTo(new TransactionOutcome.Committed(revision, List.of()));
    assertThat(put("/a", "2")).isEqualTo(revision + 1);
  }

  @Test
  void deleteIsRefusedWhenTheKeyHasChanged() {
    long read = put("/a", "1");
    long changed = put("/a", "2");

    assertThat(refused(Transaction.delete("/a", read)).current()).containsKey("/a");
    assertThat(committed(Transaction.delete("/a", changed)).deleted()).hasSize(1);
    assertThat(refused(Transaction.delete("/a", changed)).current()).isEmpty();
  }

  @Test
  void changesOfOneTransactionShareOneRevision() {
    put("/old", "x");

    long revision =
        committed(
                new Transaction(
                    List.of(Condition.absent("/a"), Condition.absent("/b")),
                    List.of(
                        new Change.Put("/a", "1"),
                        new Change.Delete("/old"),
                        new Change.Put("/b", "2"))))
            .revision();

    assertThat(store().range(RangeQuery.all("")).entries())
        .containsExactly(
            new KeyValue("/a", "1", revision, revision, 0),
            new KeyValue("/b", "2", revision, revision, 0));
  }

  @Test
  void oneConditionThatFailsStopsEveryChange() {
    long revision = put("/a", "1");

    TransactionOutcome.Refused refused =
        refused(
            new Transaction(
                List.of(Condition.absent("/b"), new Condition("/a", revision - 1)),
                List.of(new Change.Put("/b", "2"), new Change.Delete("/a"))));

    assertThat(refused.current()).containsOnlyKeys("/a");
    assertThat(store().range(RangeQuery.all("")).entries()).extracting("key").containsExactly("/a");
    assertThat(store().range(RangeQuery.all("")).revision()).isEqualTo(revision);
  }

  @Test
  void conditionsMayBeOnKeysThatAreNotChanged() {
    long guard = put("/guard", "1");
    Transaction guarded =
        new Transaction(
            List.of(new Condition("/guard", guard)), List.of(new Change.Put("/a", "1")));

    committed(guarded);
    put("/guard", "2");

    assertThat(refused(guarded).current()).containsOnlyKeys("/guard");
  }

  @Test
  void aTransactionMayOnlyAsk() {
    long revision = put("/a", "1");

    assertThat(committed(new Transaction(List.of(new Condition("/a", revision)), List.of())))
        .isEqualTo(new TransactionOutcome.Committed(revision, List.of()));
    assertThat(refused(new Transaction(List.of(Condition.absent("/a")), List.of())).current())
        .containsKey("/a");
  }

  @Test
  void rangeHoldsThePrefixAndNothingElseInTheOrderOfBytes() {
    List<String> inside =
        List.of(
            "/p/",
            "/p/%",
            "/p/A",
            "/p/_",
            "/p/a",
            "/p/a/b",
            "/p/ab",
            "/p/é",
            "/p/\uFFFD",
            "/p/\uD83D\uDC08");
    List<String> outside = List.of("/o", "/p", "/p.", "/p0", "/q/", "/P/a");
    for (String key : inside.reversed()) {
      put(key, "in");
    }
    outside.forEach(key -> put(key, "out"));

    assertThat(keys("/p/")).isEqualTo(inside);
    assertThat(keys("")).hasSize(inside.size() + outside.size());
    assertThat(keys("/none")).isEmpty();
  }

  @Test
  void pagesTogetherAreTheStateOfTheFirst() {
    for (int i = 0; i < 25; i++) {
      put("/p/%02d".formatted(i), "v" + i);
    }
    put("/q", "behind");
    List<KeyValue> before = store().range(RangeQuery.all("/p/")).entries();

    RangeQuery query = RangeQuery.all("/p/").limit(10);
    KeyValuePage page = store().range(query);
    long revision = page.revision();
    List<KeyValue> seen = new ArrayList<>(page.entries());
    put("/p/05", "changed");
    put("/p/15", "changed");
    put("/p/165", "new");
    committed(Transaction.delete("/p/20"));
    while (page.more()) {
      assertThat(page.entries()).hasSize(10);
      query = query.nextPage(page);
      page = another().range(query);
      assertThat(page.revision()).isEqualTo(revision);
      seen.addAll(page.entries());
    }

    assertThat(seen).isEqualTo(before);
  }

  @Test
  void aPageThatIsExactlyFullHasNothingAfterIt() {
    put("/p/1", "");
    put("/p/2", "");

    assertThat(store().range(RangeQuery.all("/p/").limit(2)).more()).isFalse();
    assertThat(store().range(RangeQuery.all("/p/").limit(1)).more()).isTrue();
  }

  @Test
  void thePastCanBeRead() {
    long empty = store().range(RangeQuery.all("")).revision();
    long one = put("/a", "1");
    long two = put("/a", "2");
    long gone = committed(Transaction.delete("/a")).revision();
    long again = put("/a", "4");

    assertThat(values(empty)).isEmpty();
    assertThat(values(one)).containsExactly("1");
    assertThat(values(two)).containsExactly("2");
    assertThat(values(gone)).isEmpty();
    assertThat(values(again)).containsExactly("4");
    assertThat(values(0)).containsExactly("4");
  }

  @Test
  void theFutureCannotBeRead() {
    long revision = put("/a", "1");

    assertThatThrownBy(() -> store().range(RangeQuery.all("").at(revision + 1)))
        .isInstanceOf(InvalidException.class)
        .hasMessageContaining(String.valueOf(revision + 1));
  }

  @Test
  void aPastThatWasCompactedCannotBeReadAndThePresentStays() {
    long first = put("/a", "1");
    put("/gone", "1");
    long second = put("/a", "2");
    committed(Transaction.delete("/gone"));
    long kept = put("/b", "1");
    long last = put("/a", "3");

    compact(kept);

    for (long lost : List.of(first, second, kept - 1)) {
      assertThatThrownBy(() -> store().range(RangeQuery.all("").at(lost)))
          .isInstanceOf(CompactedException.class)
          .hasMessageContaining(String.valueOf(lost));
    }
    assertThat(values(kept)).containsExactly("2", "1");
    assertThat(values(0)).containsExactly("3", "1");
    assertThat(store().range(RangeQuery.all("")).revision()).isEqualTo(last);
  }

  @Test
  void compactionOfEverythingForgetsNoRevision() {
    put("/a", "1");
    long last = committed(Transaction.delete("/a")).revision();

    compact(last);
    reopen();

    assertThat(store().range(RangeQuery.all("")))
        .isEqualTo(new KeyValuePage(last, List.of(), false));
    assertThat(put("/a", "2")).isEqualTo(last + 1);
  }

  @Test
  void everythingIsThereAfterARestart() {
    put("/a", "1");
    long read = put("/b", "2");
    committed(Transaction.delete("/a"));
    KeyValuePage before = store().range(RangeQuery.all(""));

    reopen();

    assertThat(store().range(RangeQuery.all(""))).isEqualTo(before);
    assertThat(committed(Transaction.update("/b", read, "3")).revision())
        .isEqualTo(before.revision() + 1);
  }

  @Test
  void aClosedStoreSaysSo() {
    KeyValueStore closed = open();
    closed.close();
    closed.close();

    assertThatThrownBy(() -> closed.get("/a")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> closed.commit(Transaction.put("/a", "")))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> closed.watch("/", 1)).isInstanceOf(IllegalStateException.class);
    assertThat(store().get("/a")).isEmpty();
  }

  private List<String> keys(String prefix) {
    return store().range(RangeQuery.all(prefix)).entries().stream().map(KeyValue::key).toList();
  }

  private List<String> values(long revision) {
    return store().range(RangeQuery.all("").at(revision)).entries().stream()
        .map(KeyValue::value)
        .toList();
  }
}

package io.ocicat.datastore.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.ResourceWatch;
import io.ocicat.datastore.resource.Write;
import io.ocicat.datastore.resource.WriteOutcome;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The contract of datastores with transactions: several resources are written together or not at
 * all.
 */
public abstract class DatastoreCommitContract extends DatastoreFixture {
  private static final String CIDR = "10.0.0.0/31";

  @Test
  void itSaysThatItHasTransactions() {
    assertThat(datastore().hasTransactions()).isTrue();
    assertThat(datastore().commit(List.of())).isEqualTo(new WriteOutcome.Done(Map.of()));
  }

  @Test
  void allAreDoneWithOneRevisionAndSeenByEveryDoor() {
    Resource old = datastore().create(handle("old", CIDR, 1));
    Resource block = datastore().create(block(CIDR, 1));

    WriteOutcome outcome =
        datastore()
            .commit(
                List.of(
                    new Write.Update(block.edit(b -> b.put("sequenceNumber", 2))),
                    new Write.Create(handle("new", CIDR, 1)),
                    new Write.Delete(old)));

    Map<ResourceKey, Resource> stored = ((WriteOutcome.Done) outcome).stored();
    assertThat(stored).containsOnlyKeys(block.key(), new ResourceKey.Handle("new"));
    assertThat(stored.values().stream().map(Resource::revision).distinct()).hasSize(1);
    stored.forEach((key, resource) -> assertThat(another().get(key)).isEqualTo(resource));
    assertThatThrownBy(() -> another().get(old.key())).isInstanceOf(NotFoundException.class);
  }

  @Test
  void oneConflictRefusesAllWritesAndReturnsTheCurrentState() {
    Resource read = datastore().create(block(CIDR, 1));
    Resource faster = another().update(read.edit(b -> b.put("sequenceNumber", 2)));
    Resource there = datastore().create(handle("there", CIDR, 1));

    WriteOutcome outcome =
        datastore()
            .commit(
                List.of(
                    new Write.Create(handle("new", CIDR, 1)),
                    new Write.Update(read.edit(b -> b.put("sequenceNumber", 3))),
                    new Write.Delete(there)));

    assertThat(outcome)
        .isEqualTo(new WriteOutcome.Refused(Map.of(faster.key(), faster, there.key(), there)));
    assertThat(another().list(new ResourceQuery.Handles()).items()).containsExactly(there);
  }

  @Test
  void whatIsExpectedMustHoldAndIsNotChanged() {
    Resource pool = datastore().create(pool("blue", "10.65.0.0/16"));
    Write.Expect same = new Write.Expect(pool.key(), pool.revision());
    Write.Expect none = new Write.Expect(new ResourceKey.IpamConfig(), "");

    assertThat(datastore().commit(List.of(same, none, new Write.Create(handle("a", CIDR, 1)))))
        .isInstanceOf(WriteOutcome.Done.class);
    assertThat(another().get(pool.key())).isEqualTo(pool);

    Resource changed =
        another().update(pool.edit(d -> d.withObject("/spec").put("disabled", true)));
    assertThat(datastore().commit(List.of(same, new Write.Create(handle("b", CIDR, 1)))))
        .isEqualTo(new WriteOutcome.Refused(Map.of(pool.key(), changed)));
  }

  @Test
  void oneInvalidResourceRejectsAllWrites() {
    Resource wrong =
        Resource.of(
            new ResourceKey.Block(IpPrefix.parse("10.0.0.0/30")),
            Json.object().put("cidr", "10.9.0.0/30"));

    assertThatThrownBy(
            () ->
                datastore()
                    .commit(
                        List.of(new Write.Create(handle("a", CIDR, 1)), new Write.Create(wrong))))
        .isInstanceOf(InvalidException.class)
        .hasMessageContaining("10.0.0.0/30");
    assertThat(another().list(new ResourceQuery.Handles()).items()).isEmpty();
  }

  @Test
  void watchesTellEachPart() {
    Resource block = datastore().create(block(CIDR, 1));
    try (ResourceWatch watch = another().watch(new ResourceQuery.Handles(), block.revision())) {
      datastore()
          .commit(
              List.of(
                  new Write.Update(block.edit(b -> b.put("sequenceNumber", 2))),
                  new Write.Create(handle("a", CIDR, 1)),
                  new Write.Create(handle("b", CIDR, 1))));
      assertThat(events(watch, 2))
          .extracting(event -> event.key().name(), ResourceEvent::getClass)
          .containsExactlyInAnyOrder(
              tuple("a", ResourceEvent.Added.class), tuple("b", ResourceEvent.Added.class));
    }
  }

  @Test
  void asManyAsAreAllowedAreWrittenTogether() {
    List<Write> writes =
        IntStream.range(0, Datastore.MAX_WRITES)
            .<Write>mapToObj(i -> new Write.Create(handle("h" + i, CIDR, 1)))
            .toList();
    assertThat(datastore().commit(writes)).isInstanceOf(WriteOutcome.Done.class);
    assertThat(another().list(new ResourceQuery.Handles()).items()).hasSize(writes.size());
  }

  @Test
  void twoCountersMovedTogetherByManyNeverDiffer() throws Exception {
    datastore().create(handle("left", CIDR, 0));
    datastore().create(handle("right", CIDR, 0));
    AtomicInteger done = new AtomicInteger();
    Thread[] writers = new Thread[4];
    for (int i = 0; i < writers.length; i++) {
      Datastore door = i % 2 == 0 ? datastore() : another();
      writers[i] = Thread.ofVirtual().start(() -> move(door, done));
    }
    for (Thread writer : writers) {
      writer.join();
    }
    assertThat(count("left")).isEqualTo(100).isEqualTo(count("right"));
    assertThatThrownBy(() -> datastore().update(handle("left", CIDR, 0).withRevision("1")))
        .isInstanceOf(ConflictException.class);
  }

  private static void move(Datastore door, AtomicInteger done) {
    for (int mine = 0; mine < 25; ) {
      Resource left = door.get(new ResourceKey.Handle("left"));
      Resource right = door.get(new ResourceKey.Handle("right"));
      if (door.commit(List.of(raise(left), raise(right))) instanceof WriteOutcome.Done) {
        mine++;
        done.incrementAndGet();
      }
    }
  }

  private static Write raise(Resource handle) {
    return new Write.Update(
        handle.edit(h -> h.withObject("/block").put(CIDR, countOf(handle) + 1)));
  }

  private int count(String id) {
    return countOf(another().get(new ResourceKey.Handle(id)));
  }

  private static int countOf(Resource handle) {
    return handle.read(h -> h.path("block").path(CIDR).asInt(0));
  }
}

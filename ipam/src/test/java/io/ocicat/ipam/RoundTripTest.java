package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.embedded.EmbeddedStore;
import io.ocicat.datastore.passing.PassingDatastore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.model.AutoAssignRequest;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.ipam.model.IpamException;
import io.ocicat.ipam.model.ReleaseRequest;
import io.ocicat.testkit.Eventually;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The number of datastore requests per operation. */
class RoundTripTest {
  @TempDir Path directory;

  /** Counts reads and writes. */
  private static final class Counting extends PassingDatastore {
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicInteger writes = new AtomicInteger();
    private volatile CountDownLatch gate = new CountDownLatch(0);

    Counting(Datastore behind) {
      super(behind);
    }

    @Override
    protected void reading() {
      reads.incrementAndGet();
    }

    @Override
    protected <T> T writing(Supplier<T> write) {
      writes.incrementAndGet();
      try {
        gate.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return write.get();
    }

    int since(Runnable action) {
      int before = reads.get() + writes.get();
      action.run();
      return reads.get() + writes.get() - before;
    }
  }

  private @Nullable Datastore real;
  private @Nullable Counting counting;
  private @Nullable Ipam opened;

  @BeforeEach
  void open() {
    Datastore store = EmbeddedStore.openDatastore(directory);
    real = store;
    store.create(
        Resource.of(
            new ResourceKey.Named(Kind.IP_POOL, "", "v4"),
            spec -> spec.put("cidr", "10.0.0.0/16").put("blockSize", 26)));
    store.create(
        Resource.of(
            new ResourceKey.Named(Kind.IP_POOL, "", "v6"),
            spec -> spec.put("cidr", "fd00::/112").put("blockSize", 122)));
    store.create(Resource.of(new ResourceKey.Named(Kind.NODE, "", "node-1"), _ -> {}));
    counting = new Counting(store);
    opened = Ipam.resident(counting, ClockAndRandom.ofSystem());
  }

  @AfterEach
  void close() {
    Objects.requireNonNull(opened).close();
    Objects.requireNonNull(real).close();
  }

  private AutoAssignRequest request(String handle, int v4, int v6) {
    return AutoAssignRequest.on("node-1")
        .withCounts(v4, v6)
        .withHandle(handle, Map.of("node", "node-1"));
  }

  @Test
  void anAddressFromAKnownBlockTakesOneRoundTrip() {
    Ipam ipam = Objects.requireNonNull(opened);
    Counting datastore = Objects.requireNonNull(counting);
    ipam.autoAssign(request("first", 1, 1));

    assertThat(datastore.since(() -> ipam.autoAssign(request("v4", 1, 0)))).isEqualTo(1);
    assertThat(datastore.since(() -> ipam.autoAssign(request("both", 1, 1)))).isEqualTo(2);
    assertThat(datastore.since(() -> ipam.releaseByHandle("v4"))).isEqualTo(1);
    assertThat(datastore.since(() -> ipam.releaseByHandle("both"))).isLessThanOrEqualTo(4);
  }

  @Test
  void aNewBlockTakesFew() {
    Ipam ipam = Objects.requireNonNull(opened);
    Counting datastore = Objects.requireNonNull(counting);
    ipam.autoAssign(request("full", 64, 0));

    // The host's affinities, the full block, the claim, and the address.
    assertThat(datastore.since(() -> ipam.autoAssign(request("next", 1, 0))))
        .isLessThanOrEqualTo(4);
  }

  @Test
  void manyAtOnceShareAWrite() throws Exception {
    Ipam ipam = Objects.requireNonNull(opened);
    Counting datastore = Objects.requireNonNull(counting);
    ipam.autoAssign(request("first", 1, 0));
    int before = datastore.writes.get();
    CountDownLatch gate = new CountDownLatch(1);
    datastore.gate = gate;
    List<Thread> threads = new ArrayList<>();
    List<IpAddress> given = Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < 40; i++) {
      String handle = "h" + i;
      threads.add(
          Thread.ofVirtual()
              .start(
                  () ->
                      ipam.autoAssign(request(handle, 1, 0))
                          .addresses()
                          .forEach(address -> given.add(address.address()))));
    }
    Eventually.await(
        "all but one to queue",
        Duration.ofSeconds(20),
        () -> threads.stream().filter(t -> t.getState() == Thread.State.WAITING).count() == 40);
    gate.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(given).hasSize(40).doesNotHaveDuplicates();
    assertThat(datastore.writes.get() - before)
        .as("one for all who were there before it began, one for all others")
        .isBetween(1, 2);
    assertThat(ipam.check().run().findings()).isEmpty();
  }

  @Test
  void aHandleThatSomebodyElseHasReleasedIsNotReleasedAgain() {
    Ipam ipam = Objects.requireNonNull(opened);
    ipam.autoAssign(request("pod", 1, 0));
    try (Ipam other = Ipam.forOneCall(Objects.requireNonNull(real), ClockAndRandom.ofSystem())) {
      other.releaseByHandle("pod");
    }

    assertThatThrownBy(() -> ipam.releaseByHandle("pod"))
        .isInstanceOfSatisfying(
            IpamException.class,
            e -> assertThat(e.reason()).isEqualTo(IpamException.Reason.NO_SUCH_HANDLE));
    assertThat(ipam.check().run().findings()).isEmpty();
  }

  @Test
  void whatOthersHaveFreedIsFoundBeforeABlockIsClaimed() {
    AtomicLong time = new AtomicLong();
    Counting datastore = Objects.requireNonNull(counting);
    try (Ipam ipam =
            Ipam.resident(datastore, new ClockAndRandom(Clock.systemUTC(), time::get, () -> 0));
        Ipam other = Ipam.forOneCall(Objects.requireNonNull(real), ClockAndRandom.ofSystem())) {
      for (int i = 0; i < 10; i++) {
        ipam.autoAssign(request("full" + i, 64, 0));
      }
      IpAddress freed = other.addressesOf("full3").get(5);
      other.release(List.of(new ReleaseRequest(freed, "full3", null)));
      time.addAndGet(Duration.ofSeconds(2).toNanos());

      // The affinities, one read for all ten blocks, and the address.
      assertThat(
              datastore.since(
                  () ->
                      assertThat(ipam.autoAssign(request("next", 1, 0)).addresses())
                          .extracting(IpPrefix::address)
                          .containsExactly(freed)))
          .isEqualTo(3);
    }
  }

  @Test
  void theCostDoesNotGrowWithWhatIsInUse() {
    Ipam ipam = Objects.requireNonNull(opened);
    Counting datastore = Objects.requireNonNull(counting);
    ipam.autoAssign(request("first", 1, 0));
    int before = datastore.since(() -> ipam.autoAssign(request("few", 1, 0)));
    for (int i = 0; i < 15; i++) {
      ipam.autoAssign(request("many" + i, 64, 0));
    }

    assertThat(datastore.since(() -> ipam.autoAssign(request("more", 1, 0))))
        .isLessThanOrEqualTo(before);
  }
}

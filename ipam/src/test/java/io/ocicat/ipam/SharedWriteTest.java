package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Prefetch;
import io.ocicat.datastore.passing.PassingDatastore;
import io.ocicat.datastore.passing.Rounds;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.assign.AssignPrefetch;
import io.ocicat.ipam.model.AutoAssignRequest;
import io.ocicat.ipam.model.AutoAssignResult;
import io.ocicat.ipam.model.ClockAndRandom;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Where each record is written for itself, as by an API server: requests that meet in one process
 * share the write of a block instead of losing races against each other.
 */
class SharedWriteTest {
  private static final String HOST = "host-a";
  private static final int REQUESTS = 20;

  private final Rounds rounds = new Rounds();
  private final AtomicInteger blockUpdates = new AtomicInteger();
  private final AtomicInteger handleUpdates = new AtomicInteger();

  /** Holds every write until all that come at the same time are there. */
  private final class Counting extends PassingDatastore {
    Counting(Datastore behind) {
      super(behind);
    }

    @Override
    public Resource create(Resource resource) {
      rounds.pass("create " + resource.describe());
      return super.create(resource);
    }

    @Override
    public Resource update(Resource resource) {
      rounds.pass("update " + resource.describe());
      switch (resource.key()) {
        case ResourceKey.Block _ -> blockUpdates.incrementAndGet();
        case ResourceKey.Handle _ -> handleUpdates.incrementAndGet();
        default -> {}
      }
      return super.update(resource);
    }
  }

  private static AutoAssignRequest request(String handle, int v6) {
    return AutoAssignRequest.on(HOST).withCounts(1, v6).withHandle(handle, Map.of());
  }

  private static void pool(Engine engine, String name, String cidr) {
    engine
        .datastore()
        .create(
            Resource.of(
                new ResourceKey.Named(Kind.IP_POOL, "", name), spec -> spec.put("cidr", cidr)));
  }

  @Test
  void requestsAtTheSameTimeShareTheWriteOfTheirBlock() {
    try (Engine engine = new EmbeddedScenariosTest.InMemory(false)) {
      engine.node(HOST, Map.of());
      pool(engine, "pods", "10.0.0.0/26");
      Ipam ipam = Ipam.forOneCall(new Counting(engine.datastore()), ClockAndRandom.ofSystem());
      ipam.autoAssign(request("first", 0));
      blockUpdates.set(0);

      rounds.start();
      List<AutoAssignResult> all =
          Prefetch.all(
              IntStream.range(0, REQUESTS)
                  .<Supplier<AutoAssignResult>>mapToObj(
                      i -> () -> ipam.autoAssign(request("h" + i, 0)))
                  .toList());
      List<List<String>> waited = rounds.stop();

      Set<IpPrefix> addresses = new HashSet<>();
      all.forEach(assigned -> addresses.addAll(assigned.addresses()));
      assertThat(addresses).hasSize(REQUESTS);
      // Whoever comes first writes for those who are there; the second write is for all others.
      assertThat(blockUpdates).as("writes of the block in %s", waited).hasValueLessThanOrEqualTo(3);
      assertThat(handleUpdates).as("handles written again").hasValue(0);
      assertThat(ipam.check().run().findings()).isEmpty();
    }
  }

  @Test
  void bothFamiliesAreGivenAtTheSameTimeWithOneHandle() {
    try (Engine engine = new EmbeddedScenariosTest.InMemory(false)) {
      engine.node(HOST, Map.of());
      pool(engine, "pods", "10.0.0.0/26");
      pool(engine, "pods6", "fd00::/122");
      Ipam ipam = Ipam.forOneCall(new Counting(engine.datastore()), ClockAndRandom.ofSystem());
      ipam.autoAssign(request("first", 1));

      rounds.start();
      AutoAssignResult assigned = ipam.autoAssign(request("h", 1));
      List<List<String>> waited = rounds.stop();

      assertThat(assigned.addresses()).hasSize(2);
      assertThat(waited).as("rounds of writes").hasSizeLessThanOrEqualTo(3);
      assertThat(ipam.addressesOf("h")).hasSize(2);
      assertThat(ipam.releaseByHandle("h")).hasSize(2);
    }
  }

  @Test
  void whatWasAskedAheadIsNotAskedAgain() {
    try (Engine engine = new EmbeddedScenariosTest.InMemory(false)) {
      engine.node(HOST, Map.of());
      pool(engine, "pods", "10.0.0.0/26");
      AtomicInteger reads = new AtomicInteger();
      Datastore counting =
          new PassingDatastore(engine.datastore()) {
            @Override
            protected void reading() {
              reads.incrementAndGet();
            }
          };
      Ipam ipam = Ipam.forOneCall(counting, ClockAndRandom.ofSystem());
      ipam.autoAssign(request("first", 0));

      reads.set(0);
      Optional<AssignPrefetch> prefetch = ipam.prefetchAssign(HOST, List.of(IpVersion.V4));
      assertThat(ipam.autoAssign(request("h", 0), prefetch).isComplete()).isTrue();
      int prefetched = reads.get();
      reads.set(0);
      assertThat(ipam.autoAssign(request("h2", 0)).isComplete()).isTrue();

      assertThat(prefetched).as("reads of both together").isLessThanOrEqualTo(reads.get());
    }
  }
}

package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.model.IpamConfig;
import io.ocicat.datastore.passing.PassingDatastore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.check.IpamFinding;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.model.AssignRequest;
import io.ocicat.ipam.model.AutoAssignRequest;
import io.ocicat.ipam.model.AutoAssignResult;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.ipam.model.IpamException;
import io.ocicat.ipam.model.ReleaseRequest;
import io.ocicat.ipam.model.ReleaseResult;
import io.ocicat.testkit.Seeded;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random operations of processes on several hosts, their steps interleaved at random, with crashes
 * between any two of them and lost responses, checked by {@link Ledger}. Four rounds of 5,000
 * operations, with and without transactions; {@code -Docicat.longer=25} makes a million of them.
 */
class IpamModelTest {
  private static final int ROUNDS = 4;
  private static final int OPERATIONS = 5_000;
  private static final int PROCESSES = 6;
  private static final List<String> HOSTS = List.of("host-a", "host-b", "host-c");

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void nothingIsAssignedTwiceOrLost(boolean together) {
    Seeded.forAll(ROUNDS, random -> new Round(random, together).run(OPERATIONS));
  }

  /** Processes with several threads of their own once made every run of a seed different. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSeedReproducesItsRun(boolean together) {
    Seeded.forAll(
        1,
        random -> {
          long seed = random.nextLong();
          Random once = new Random(seed);
          Random again = new Random(seed);
          new Round(once, together).run(500);
          new Round(again, together).run(500);
          assertThat(again.nextLong()).isEqualTo(once.nextLong());
        });
  }

  /** One run from an empty datastore. */
  private static final class Round {
    private final Random random;
    private final MemoryStore store = new MemoryStore();
    private final Datastore datastore;
    private final Ledger ledger;
    private final List<Actor> processes = new ArrayList<>();
    private final List<Ipam> memories = new ArrayList<>();
    private final Map<String, Set<IpAddress>> live = new TreeMap<>();
    private final Set<String> unclear = new HashSet<>();
    private final Set<String> busy = new HashSet<>();
    private final AtomicLong time = new AtomicLong(1_767_225_600_000_000_000L);
    private int handles;

    Round(Random random, boolean together) {
      this.random = random;
      Datastore stored = new KeyValueDatastore(store);
      this.datastore = together ? stored : PassingDatastore.withoutTransactions(stored);
      this.ledger = new Ledger(together);
      store.listen(changes -> ledger.follow(changes, store));
      pool("v4", "10.0.0.0/27", 30);
      pool("v4-more", "10.1.0.0/28", 29);
      pool("v6", "fd00::/124", 126);
      for (String host : HOSTS) {
        datastore.create(Resource.of(new ResourceKey.Named(Kind.NODE, "", host), _ -> {}));
      }
      for (int i = 0; i < PROCESSES; i++) {
        processes.add(new Actor(random, 60));
        memories.add(fresh(processes.get(i)));
      }
    }

    private void pool(String name, String cidr, int blockSize) {
      datastore.create(
          Resource.of(
              new ResourceKey.Named(Kind.IP_POOL, "", name),
              spec -> spec.put("cidr", cidr).put("blockSize", blockSize)));
    }

    private ClockAndRandom sources() {
      Clock clock =
          new Clock() {
            @Override
            public Instant instant() {
              // A minute passes now and then, so that empty blocks may be reclaimed from their
              // owners.
              long nanos = time.addAndGet(100_000_000L);
              return Instant.ofEpochSecond(0, nanos);
            }

            @Override
            public ZoneId getZone() {
              return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
              return this;
            }
          };
      return new ClockAndRandom(clock, time::get, () -> 0);
    }

    private Ipam fresh(Actor process) {
      return ipam(process.see(datastore));
    }

    private Ipam ipam(Datastore seen) {
      IpamRecords records = new IpamRecords(seen);
      return new Ipam(records, new FrozenClusterView(records), sources());
    }

    void run(int operations) {
      int begun = 0;
      while (begun < operations || processes.stream().anyMatch(process -> !process.isIdle())) {
        int chosen = random.nextInt(PROCESSES);
        Actor process = processes.get(chosen);
        if (!process.isIdle()) {
          if (process.step()) {
            memories.set(chosen, fresh(process));
          }
        } else if (begun < operations) {
          begun++;
          begin(chosen);
        }
      }
      processes.forEach(Actor::end);
      recover();
    }

    private void begin(int chosen) {
      String host = HOSTS.get(chosen % HOSTS.size());
      processes.get(chosen).begin(operation(memories.get(chosen), host));
    }

    private Runnable operation(Ipam ipam, String host) {
      return switch (random.nextInt(24)) {
        case 0, 1, 2, 3, 4, 5, 6, 7 -> autoAssign(ipam, host);
        case 8, 9 -> assignOne(ipam, host);
        case 10, 11, 12, 13, 14, 15 -> releaseByHandle(ipam);
        case 16, 17 -> releaseAddresses(ipam);
        case 18 -> tolerating(() -> ipam.releaseHostAffinities(BlockOwner.host(host), true));
        case 19 -> tolerating(() -> ipam.releaseHostAffinities(BlockOwner.host(host), false));
        case 20 -> tolerating(() -> ipam.claimAffinity(anyBlock(), BlockOwner.host(host)));
        case 21 -> tolerating(() -> ipam.check().run().findings().forEach(f -> repair(ipam, f)));
        case 22 -> this::changeSurroundings;
        default -> tolerating(ipam::invalidate);
      };
    }

    private void repair(Ipam ipam, IpamFinding finding) {
      if (finding.isSafe()) {
        ipam.check().repair(finding);
      }
    }

    private IpPrefix anyBlock() {
      return IpPrefix.of(IpAddress.parse("10.0.0.0").plus(4L * random.nextInt(8)), 30);
    }

    /** No runtime adds and deletes one container at the same time. */
    private Runnable alone(String handle, Runnable work) {
      busy.add(handle);
      return () -> {
        try {
          work.run();
        } finally {
          busy.remove(handle);
        }
      };
    }

    private Runnable tolerating(Runnable work) {
      return () -> {
        try {
          work.run();
        } catch (IpamException | DatastoreException _) {
          // Refused, or the datastore was unavailable: the ledger checks what holds then.
        }
      };
    }

    private Runnable autoAssign(Ipam ipam, String host) {
      String handle = random.nextInt(4) == 0 && !live.isEmpty() ? takeOver() : newHandle();
      AutoAssignRequest request =
          AutoAssignRequest.on(host)
              .withCounts(random.nextInt(3), random.nextInt(2))
              .withHandle(handle, Map.of("node", host, "n", "" + random.nextInt()));
      Set<IpAddress> before = live.getOrDefault(handle, Set.of());
      live.remove(handle);
      return alone(
          handle,
          () -> {
            unclear.add(handle);
            try {
              AutoAssignResult assigned = ipam.autoAssign(request);
              Set<IpAddress> has = new HashSet<>(before);
              for (IpPrefix address : assigned.addresses()) {
                ledger.promise(address.address(), handle);
                has.add(address.address());
              }
              recordOutcome(handle, has);
            } catch (IpamException e) {
              if (e.getSuppressed().length > 0) {
                before.forEach(ledger::unpromise);
              } else {
                // After a refusal, nothing of it stays.
                recordOutcome(handle, before);
              }
            } catch (DatastoreException _) {
              before.forEach(ledger::unpromise);
            } catch (RuntimeException | Actor.Death e) {
              before.forEach(ledger::unpromise);
              throw e;
            }
          });
    }

    private void recordOutcome(String handle, Set<IpAddress> has) {
      unclear.remove(handle);
      if (!has.isEmpty()) {
        live.put(handle, has);
      }
    }

    private String newHandle() {
      return "net.c" + handles++;
    }

    private String takeOver() {
      List<String> all = List.copyOf(live.keySet());
      return all.get(random.nextInt(all.size()));
    }

    private Runnable assignOne(Ipam ipam, String host) {
      String handle = newHandle();
      IpAddress address = IpAddress.parse("10.0.0.0").plus(random.nextInt(32));
      return alone(
          handle,
          () -> {
            unclear.add(handle);
            try {
              ipam.assign(
                  new AssignRequest(address, host, handle, Map.of("n", "" + handle.hashCode())));
              ledger.promise(address, handle);
              recordOutcome(handle, Set.of(address));
            } catch (IpamException _) {
              recordOutcome(handle, Set.of());
            } catch (DatastoreException _) {
              // The outcome stays unknown.
            }
          });
    }

    private Runnable releaseByHandle(Ipam ipam) {
      List<String> all = new ArrayList<>(live.keySet());
      all.addAll(unclear.stream().filter(handle -> !busy.contains(handle)).sorted().toList());
      if (all.isEmpty()) {
        return () -> {};
      }
      String handle = all.get(random.nextInt(all.size()));
      Set<IpAddress> has = live.getOrDefault(handle, Set.of());
      live.remove(handle);
      unclear.add(handle);
      return alone(handle, () -> release(ipam, handle, has));
    }

    private void release(Ipam ipam, String handle, Set<IpAddress> has) {
      has.forEach(ledger::unpromise);
      try {
        ipam.releaseByHandle(handle);
      } catch (IpamException e) {
        assertThat(e.reason()).isEqualTo(IpamException.Reason.NO_SUCH_HANDLE);
      } catch (DatastoreException _) {
        return;
      }
      assertThat(ledger.assigned()).doesNotContainValue(handle);
      unclear.remove(handle);
    }

    private Runnable releaseAddresses(Ipam ipam) {
      if (live.isEmpty()) {
        return () -> {};
      }
      String handle = takeOver();
      Set<IpAddress> has = live.getOrDefault(handle, Set.of());
      live.remove(handle);
      unclear.add(handle);
      List<ReleaseRequest> releases =
          has.stream().map(address -> new ReleaseRequest(address, handle, null)).toList();
      return alone(
          handle,
          () -> {
            has.forEach(ledger::unpromise);
            ReleaseResult released;
            try {
              released = ipam.release(releases);
            } catch (DatastoreException _) {
              return;
            }
            if (released.refused().isEmpty()) {
              has.forEach(
                  address ->
                      assertThat(ledger.assigned()).doesNotContain(Map.entry(address, handle)));
            }
          });
    }

    private void changeSurroundings() {
      switch (random.nextInt(3)) {
        case 0 -> {
          Resource pool = datastore.get(ResourceKey.of(Kind.IP_POOL, "v4-more"));
          boolean off = random.nextBoolean();
          datastore.update(pool.edit(d -> d.withObject("/spec").put("disabled", off)));
        }
        case 1 -> ipam(datastore).configure(new IpamConfig(random.nextBoolean(), true, 0, true));
        default -> {
          Resource node = datastore.get(ResourceKey.of(Kind.NODE, HOSTS.getFirst()));
          datastore.update(node.edit(d -> d.withObject("/metadata/labels").put("a", "b")));
        }
      }
    }

    /** All processes restart, containers that are gone are deleted, and leftovers are repaired. */
    private void recover() {
      Ipam ipam = ipam(datastore);
      for (String handle : List.copyOf(unclear)) {
        release(ipam, handle, Set.of());
      }
      for (int i = 0; i < 3; i++) {
        ipam.check().run().findings().forEach(finding -> repair(ipam, finding));
      }
      assertThat(ipam.check().run().findings()).isEmpty();
      ledger.checkSettled();
      assertThat(ledger.assigned().keySet()).isEqualTo(ledger.promised());
      live.forEach((handle, has) -> release(ipam, handle, has));
      assertThat(ledger.assigned()).isEmpty();
      assertThat(ledger.handles()).isEmpty();
      for (String host : HOSTS) {
        ipam.removeHost(BlockOwner.host(host));
      }
      assertThat(datastore.list(ResourceQuery.of(Kind.IPAM_BLOCK)).items()).isEmpty();
      assertThat(datastore.list(ResourceQuery.of(Kind.BLOCK_AFFINITY)).items()).isEmpty();
    }
  }
}

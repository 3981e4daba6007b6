package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.model.IpamConfig;
import io.ocicat.datastore.passing.PassingDatastore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.model.AssignRequest;
import io.ocicat.ipam.model.AutoAssignRequest;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Cooldown, reservations, allowed uses, block limits, strict affinity and borrowing together:
 * random sequential operations, each result and all blocks compared with {@link RulesModel}. {@code
 * -Docicat.longer=100} makes a million operations.
 */
class IpamRulesTest {
  private static final int OPERATIONS = 1_000;
  private static final int BETWEEN_COMPARISONS = 10;
  private static final List<String> HOSTS = List.of("host-a", "host-b", "host-c");
  private static final Set<IpPool.Use> BOTH = Set.of(IpPool.Use.WORKLOAD, IpPool.Use.TUNNEL);

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void answersAreThoseOfTheRules(boolean together) {
    Seeded.forAll(5, random -> new Round(random, together).run());
  }

  /** One run from an empty datastore. */
  private static final class Round {
    private final Random random;
    private final boolean together;
    private final RulesModel model = new RulesModel();
    private final Datastore datastore;
    private final Map<String, Ipam> processes = new HashMap<>();
    private final AtomicLong nanos = new AtomicLong();
    private int handles;

    Round(Random random, boolean together) {
      this.random = random;
      this.together = together;
      Datastore memory = new KeyValueDatastore(new MemoryStore());
      this.datastore = together ? memory : PassingDatastore.withoutTransactions(memory);
      pool("a", "10.0.0.0/28");
      pool("b", "10.1.0.0/28");
      pool("c", "10.2.0.0/29");
      for (String host : HOSTS) {
        datastore.create(Resource.of(new ResourceKey.Named(Kind.NODE, "", host), _ -> {}));
        processes.put(host, Ipam.forOneCall(datastore, sources()));
      }
    }

    private void pool(String name, String cidr) {
      model.pools.add(new RulesModel.Pool(name, IpPrefix.parse(cidr), 30));
      datastore.create(
          Resource.of(
              new ResourceKey.Named(Kind.IP_POOL, "", name),
              spec -> spec.put("cidr", cidr).put("blockSize", 30)));
    }

    private ClockAndRandom sources() {
      Clock clock =
          new Clock() {
            @Override
            public Instant instant() {
              return model.now;
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
      // Caches are outdated at once: only the rules are tested here.
      return new ClockAndRandom(
          clock, () -> nanos.addAndGet(2_000_000_000L), () -> random.nextLong());
    }

    void run() {
      for (int i = 1; i <= OPERATIONS; i++) {
        model.now = model.now.plusMillis(random.nextInt(4_000));
        operate(HOSTS.get(random.nextInt(HOSTS.size())));
        forgetCollected();
        if (i % BETWEEN_COMPARISONS == 0) {
          compare();
        }
      }
    }

    private void operate(String host) {
      Ipam ipam = processes.get(host);
      if (ipam == null) {
        throw new IllegalStateException("no process");
      }
      switch (random.nextInt(20)) {
        case 0, 1, 2, 3, 4, 5, 6 -> autoAssign(ipam, host);
        case 7, 8, 9 -> assign(ipam, host);
        case 10, 11, 12 -> releaseByHandle(ipam);
        case 13, 14 -> release(ipam);
        case 15 -> disown(ipam, host);
        case 16 -> configure(ipam);
        case 17 -> reserve();
        case 18 -> changePool();
        default -> model.now = model.now.plusSeconds(random.nextInt(90));
      }
    }

    private IpPool.Use use() {
      return random.nextInt(4) == 0 ? IpPool.Use.TUNNEL : IpPool.Use.WORKLOAD;
    }

    private void autoAssign(Ipam ipam, String host) {
      IpPool.Use use = use();
      int wanted = 1 + random.nextInt(5);
      int blocks = random.nextInt(4);
      String handle = "h" + handles++;
      AutoAssignRequest request =
          AutoAssignRequest.on(host)
              .withCounts(wanted, 0)
              .withUse(use)
              .withMaxBlocks(blocks)
              .withHandle(handle, Map.of("node", host));
      List<RulesModel.Pool> usable = model.usable(use);
      if (usable.isEmpty()) {
        refused(IpamException.Reason.NO_POOL, () -> ipam.autoAssign(request));
        return;
      }
      Map<IpPrefix, String> owners = new TreeMap<>();
      model.blocks.forEach((cidr, block) -> owners.put(cidr, "host:" + block.owner));
      List<IpAddress> got =
          ipam.autoAssign(request).addresses().stream().map(IpPrefix::address).toList();
      learnClaims(host, usable, owners, model.limit(blocks));
      assertThat(got)
          .as("%s wants %d for %s of %s", host, wanted, use, model.summary())
          .hasSize(model.expected(host, wanted, use, blocks));
      for (IpAddress address : got) {
        RulesModel.Pool pool = model.of(address);
        if (pool == null || !usable.contains(pool) || model.isReserved(address)) {
          fail("%s is not for %s: %s", address, use, model.summary());
          return;
        }
        IpPrefix cidr = pool.blockOf(address);
        RulesModel.Block block = model.blocks.get(cidr);
        if (block == null || !model.isFree(block, address)) {
          fail("%s is not free: %s", address, model.summary());
          return;
        }
        if (!host.equals(block.owner) && model.strict) {
          fail("%s is borrowed with strict affinity: %s", address, model.summary());
        }
        model.give(cidr, address, handle);
      }
    }

    private List<IpamBlock> blocks() {
      return datastore.list(ResourceQuery.of(Kind.IPAM_BLOCK)).items().stream()
          .map(IpamBlock::of)
          .toList();
    }

    /** Which blocks a host claims depends on its walk; whether it may have them does not. */
    private void learnClaims(
        String host, List<RulesModel.Pool> usable, Map<IpPrefix, String> before, int limit) {
      List<IpPrefix> reclaimed = new ArrayList<>();
      for (IpamBlock block : blocks()) {
        IpPrefix cidr = block.cidr();
        String owner = block.affinity();
        if ((owner == null ? "host:null" : owner).equals(before.get(cidr))) {
          continue;
        }
        RulesModel.Block known = model.blocks.get(cidr);
        assertThat(owner).isEqualTo("host:" + host);
        if (!model.isWithin(usable, cidr) || model.isCovered(cidr)) {
          fail("%s was claimed: %s", cidr, model.summary());
        }
        if (known != null && !model.isReclaimable(known, host)) {
          fail("%s was taken from its owner: %s", cidr, model.summary());
        }
        if (model.owned(host, usable) >= limit) {
          fail("%s is one more than the limit: %s", cidr, model.summary());
        }
        if (known != null) {
          reclaimed.add(cidr);
        }
        model.claim(cidr, host);
      }
      if (!reclaimed.isEmpty() && model.hasFresh(usable)) {
        fail("%s were taken although there are others: %s", reclaimed, model.summary());
      }
    }

    private void assign(Ipam ipam, String host) {
      IpAddress address =
          IpAddress.parse("10.%d.0.0".formatted(random.nextInt(4))).plus(random.nextInt(16));
      IpPool.@Nullable Use use = random.nextInt(3) == 0 ? null : use();
      String handle = "h" + handles++;
      Map<String, String> attributes = Map.of("node", host);
      AssignRequest request =
          use == null
              ? new AssignRequest(address, host, handle, attributes)
              : new AssignRequest(address, host, handle, attributes, null, 0, use);
      Runnable call = () -> ipam.assign(request);
      RulesModel.Pool pool = model.enabledFor(address);
      if (pool == null) {
        refused(IpamException.Reason.OUTSIDE_POOLS, call);
        return;
      }
      if (use != null && !pool.uses.contains(use)) {
        refused(IpamException.Reason.POOL_NOT_USABLE, call);
        return;
      }
      IpPrefix cidr = pool.blockOf(address);
      RulesModel.Block block = model.blocks.get(cidr);
      if (block != null && model.strict && !host.equals(block.owner)) {
        refused(IpamException.Reason.STRICT_AFFINITY, call);
        return;
      }
      if (block != null && !model.isFree(block, address)) {
        refused(IpamException.Reason.ADDRESS_TAKEN, call);
        return;
      }
      call.run();
      if (block == null) {
        model.claim(cidr, host);
      }
      model.give(cidr, address, handle);
    }

    private @Nullable String someHandle() {
      List<String> all =
          model.blocks.values().stream()
              .flatMap(block -> block.held.values().stream())
              .distinct()
              .sorted()
              .toList();
      return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
    }

    private void releaseByHandle(Ipam ipam) {
      String handle = random.nextInt(10) == 0 ? "nobody" : someHandle();
      if (handle == null || model.of(handle).isEmpty()) {
        refused(
            IpamException.Reason.NO_SUCH_HANDLE,
            () -> ipam.releaseByHandle(handle == null ? "nobody" : handle));
        return;
      }
      Set<IpAddress> has = model.of(handle);
      assertThat(ipam.releaseByHandle(handle)).containsExactlyInAnyOrderElementsOf(has);
      model.release(has);
    }

    private void release(Ipam ipam) {
      Set<IpAddress> wanted = new TreeSet<>();
      for (int i = 0; i < 3; i++) {
        wanted.add(
            IpAddress.parse("10.%d.0.0".formatted(random.nextInt(4))).plus(random.nextInt(16)));
      }
      Set<IpAddress> held =
          wanted.stream()
              .filter(
                  address ->
                      model.blocks.values().stream().anyMatch(b -> b.held.containsKey(address)))
              .collect(Collectors.toCollection(TreeSet::new));
      ReleaseResult released =
          ipam.release(wanted.stream().map(ReleaseRequest::of).toList()).orThrow();
      assertThat(released.released()).containsExactlyInAnyOrderElementsOf(held);
      assertThat(released.notAssigned()).hasSize(wanted.size() - held.size());
      model.release(held);
    }

    private void disown(Ipam ipam, String host) {
      boolean requireEmpty = random.nextInt(3) > 0;
      boolean all = model.disown(host, requireEmpty);
      try {
        ipam.releaseHostAffinities(BlockOwner.host(host), requireEmpty);
        assertThat(all).isTrue();
      } catch (IpamException e) {
        assertThat(e.reason()).isEqualTo(IpamException.Reason.BLOCK_NOT_EMPTY);
        assertThat(all).isFalse();
      }
    }

    private void configure(Ipam ipam) {
      blocks().forEach(ipam::freeCooledDown);
      model.collect();
      model.strict = random.nextBoolean();
      model.maxBlocks = model.strict ? random.nextInt(4) : 0;
      model.cooldown = List.of(0, 0, 5, 30, 120).get(random.nextInt(5));
      ipam.configure(new IpamConfig(model.strict, true, model.maxBlocks, true, model.cooldown));
      // Others see it a while later.
      processes.values().forEach(Ipam::invalidate);
    }

    private void reserve() {
      ResourceKey.Named key = new ResourceKey.Named(Kind.IP_RESERVATION, "", "kept");
      if (!model.reserved.isEmpty()) {
        datastore.delete(key, null);
      }
      List<IpPrefix> cidrs = new ArrayList<>();
      for (int i = random.nextInt(3); i > 0; i--) {
        IpAddress address =
            IpAddress.parse("10.%d.0.0".formatted(random.nextInt(3))).plus(random.nextInt(16));
        cidrs.add(IpPrefix.of(address, random.nextBoolean() ? 30 : 32).network());
      }
      model.reserved = cidrs.stream().distinct().toList();
      if (!cidrs.isEmpty()) {
        datastore.create(
            Resource.of(
                key,
                spec -> {
                  var array = spec.putArray("reservedCIDRs");
                  model.reserved.forEach(cidr -> array.add(cidr.toString()));
                }));
      }
    }

    private void changePool() {
      RulesModel.Pool pool = model.pools.get(random.nextInt(model.pools.size()));
      pool.enabled = random.nextInt(5) > 0;
      pool.uses =
          List.of(BOTH, BOTH, Set.of(IpPool.Use.WORKLOAD), Set.of(IpPool.Use.TUNNEL))
              .get(random.nextInt(4));
      Resource stored = datastore.get(ResourceKey.of(Kind.IP_POOL, pool.name));
      datastore.update(
          stored.edit(
              json -> {
                var spec = json.withObject("/spec");
                spec.put("disabled", !pool.enabled);
                var uses = spec.putArray("allowedUses");
                pool.uses.stream().map(IpPool.Use::text).sorted().forEach(uses::add);
              }));
    }

    /** A refusal leaves everything as it was. */
    private void refused(IpamException.Reason reason, Runnable call) {
      String before = content();
      try {
        call.run();
      } catch (IpamException e) {
        assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason);
        assertThat(content()).isEqualTo(before);
        return;
      }
      fail("not refused with %s: %s", reason, model.summary());
    }

    /** A block without an owner whose cooldown is over is deleted with the next write. */
    private void forgetCollected() {
      List<IpPrefix> candidates =
          model.blocks.entrySet().stream()
              .filter(e -> e.getValue().owner == null && model.isEmpty(e.getValue()))
              .map(Map.Entry::getKey)
              .toList();
      if (!candidates.isEmpty()) {
        Set<IpPrefix> there =
            blocks().stream().map(IpamBlock::cidr).collect(Collectors.toCollection(TreeSet::new));
        candidates.stream().filter(cidr -> !there.contains(cidr)).forEach(model.blocks::remove);
      }
    }

    private String content() {
      Map<IpPrefix, String> used = actual();
      used.values().removeIf("null {}"::equals);
      if (!together) {
        // A block is written when a count is corrected.
        return used.toString() + datastore.list(new ResourceQuery.Handles()).items().size();
      }
      return List.of(
              datastore.list(ResourceQuery.of(Kind.IPAM_BLOCK)).items(),
              datastore.list(ResourceQuery.of(Kind.BLOCK_AFFINITY)).items(),
              datastore.list(new ResourceQuery.Handles()).items())
          .stream()
          .flatMap(List::stream)
          .filter(
              resource ->
                  !(resource.key() instanceof ResourceKey.Block(IpPrefix cidr))
                      || used.containsKey(cidr))
          .map(resource -> resource.key() + " " + resource.revision())
          .toList()
          .toString();
    }

    private Map<IpPrefix, String> actual() {
      Map<IpPrefix, String> actual = new TreeMap<>();
      blocks().forEach(block -> actual.put(block.cidr(), model.summary(block)));
      return actual;
    }

    private void compare() {
      assertThat(actual()).isEqualTo(model.summary());
    }
  }
}

package io.ocicat.agent.flannel;

import io.ocicat.agent.kernel.RepairLog;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.kv.Change;
import io.ocicat.datastore.kv.Condition;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.RangeQuery;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.kv.TransactionOutcome;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.IpFamily;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Allocates a lease, in this order: the lease that the node has by its public address, the subnets
 * it had before, a free subnet. Every new lease also changes one key that all allocations share, on
 * the condition that it is as it was before the leases were read. So of several allocations at once
 * exactly one succeeds, and the others look again.
 */
record LeaseAllocation(
    KeyValueStore store, LeaseKeys names, RandomGenerator random, RepairLog log) {
  private static final int ROUNDS = 200;
  private static final int LONGEST_PAUSE_MILLIS = 100;

  /**
   * As in flanneld: a random one of the first so many, so that a restart finds its old one free.
   */
  private static final int CANDIDATES = 100;

  /**
   * A lease of this node.
   *
   * @param lease 0 for a reservation
   * @param revision of the write
   */
  record Acquired(SubnetLease subnet, long lease, long revision) {}

  /**
   * Allocates.
   *
   * @throws FlannelException when no subnet is free, or others keep being faster
   */
  Acquired acquire(
      NetConf conf, LeaseAttributes wanted, Optional<LeaseSubnets> previous, Duration ttl) {
    for (int round = 0; round < ROUNDS; round++) {
      Optional<Acquired> acquired = attempt(conf, wanted, previous, ttl);
      if (acquired.isPresent()) {
        return acquired.get();
      }
      pause(round);
    }
    throw new FlannelException(
        "no lease: other nodes were faster in %d attempts".formatted(ROUNDS));
  }

  private void pause(int round) {
    try {
      Thread.sleep(random.nextInt(1, Math.min(LONGEST_PAUSE_MILLIS, 5 * (round + 1)) + 1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FlannelException("no lease: the agent is being stopped", e);
    }
  }

  /** Empty when somebody else was faster, or something had to be removed first. */
  private Optional<Acquired> attempt(
      NetConf conf, LeaseAttributes wanted, Optional<LeaseSubnets> previous, Duration ttl) {
    // Read before the leases: whoever allocates in between makes the condition fail.
    long allocations = store.get(names.allocations()).map(KeyValue::modified).orElse(0L);
    List<SubnetLease> leases = new ArrayList<>();
    for (KeyValue entry : store.range(RangeQuery.all(names.subnets())).entries()) {
      SubnetLease lease = names.lease(entry).orElse(null);
      if (lease != null && lease.attributes().isSameNode(wanted)) {
        return reuse(conf, wanted, lease, entry, ttl);
      }
      if (lease != null) {
        leases.add(lease);
      }
    }
    LeaseSubnets subnets =
        previous
            .flatMap(it -> ofEnabled(conf, it))
            .filter(it -> allows(conf, it))
            .filter(it -> leases.stream().noneMatch(other -> other.subnets().overlaps(it)))
            .orElseGet(() -> choose(conf, leases));
    return create(subnets, wanted, allocations, ttl);
  }

  private static Optional<LeaseSubnets> ofEnabled(NetConf conf, LeaseSubnets subnets) {
    IpPrefix v4 = conf.has(IpFamily.V4) ? subnets.v4() : null;
    IpPrefix v6 = conf.has(IpFamily.V6) ? subnets.v6() : null;
    return v4 == null && v6 == null ? Optional.empty() : Optional.of(new LeaseSubnets(v4, v6));
  }

  /** Whether a node may have these subnets, all of them and no others. */
  static boolean allows(NetConf conf, LeaseSubnets subnets) {
    for (IpFamily family : IpFamily.values()) {
      Optional<SubnetRange> range = conf.range(family);
      Optional<IpPrefix> subnet = subnets.of(family);
      if (range.isPresent() != subnet.isPresent()
          || subnet.filter(it -> !range.orElseThrow().allows(it)).isPresent()) {
        return false;
      }
    }
    return true;
  }

  /** The condition is only that of the key: its subnet is ours already. */
  private Optional<Acquired> reuse(
      NetConf conf, LeaseAttributes wanted, SubnetLease lease, KeyValue entry, Duration ttl) {
    if (!allows(conf, lease.subnets())) {
      log.write("lease %s does not fit the network configuration: removing it".formatted(lease));
      store.commit(Transaction.delete(entry.key(), entry.modified()));
      return Optional.empty();
    }
    long granted = lease.reserved() ? 0 : store.grantLease(ttl);
    TransactionOutcome outcome =
        store.commit(
            new Transaction(
                List.of(Condition.unchanged(entry)),
                List.of(new Change.Put(entry.key(), wanted.json(), granted))));
    return finish(
        outcome,
        new SubnetLease(lease.name(), lease.subnets(), wanted, entry.created(), lease.reserved()),
        granted);
  }

  private LeaseSubnets choose(NetConf conf, List<SubnetLease> leases) {
    Map<IpFamily, IpPrefix> chosen = new EnumMap<>(IpFamily.class);
    for (IpFamily family : conf.enabled()) {
      SubnetRange range = conf.range(family).orElseThrow();
      List<IpPrefix> taken =
          leases.stream().flatMap(lease -> lease.subnets().of(family).stream()).toList();
      List<IpPrefix> free = range.free(taken, CANDIDATES);
      if (free.isEmpty()) {
        throw new FlannelException(
            "no %s subnet is free in %s, %d are leased: remove leases of nodes that are gone, or enlarge the network"
                .formatted(family, range, taken.size()));
      }
      chosen.put(family, free.get(random.nextInt(free.size())));
    }
    return new LeaseSubnets(chosen.get(IpFamily.V4), chosen.get(IpFamily.V6));
  }

  private Optional<Acquired> create(
      LeaseSubnets subnets, LeaseAttributes wanted, long allocations, Duration ttl) {
    long granted = store.grantLease(ttl);
    String key = names.key(subnets.key());
    TransactionOutcome outcome =
        store.commit(
            new Transaction(
                List.of(new Condition(names.allocations(), allocations), Condition.absent(key)),
                List.of(
                    new Change.Put(key, wanted.json(), granted),
                    new Change.Put(names.allocations(), subnets.key()))));
    return finish(
        outcome,
        new SubnetLease(subnets.key(), subnets, wanted, outcome.revision(), false),
        granted);
  }

  private Optional<Acquired> finish(TransactionOutcome outcome, SubnetLease lease, long granted) {
    return switch (outcome) {
      case TransactionOutcome.Committed done ->
          Optional.of(new Acquired(lease, granted, done.revision()));
      case TransactionOutcome.Refused _ -> {
        if (granted != 0) {
          try {
            store.revokeLease(granted);
          } catch (NotFoundException _) {
            // It has ended.
          }
        }
        yield Optional.empty();
      }
    };
  }
}

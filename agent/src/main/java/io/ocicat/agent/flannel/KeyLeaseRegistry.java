package io.ocicat.agent.flannel;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.agent.kernel.RepairLog;
import io.ocicat.base.Quoted;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.kv.Change;
import io.ocicat.datastore.kv.Condition;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.datastore.kv.TransactionOutcome;
import io.ocicat.ip.IpAddress;
import io.ocicat.netlink.IpFamily;
import io.ocicat.netlink.linux.RegularFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Leases as keys of etcd, or of the embedded datastore: {@code <prefix>/subnets/10.5.52.0-24}, with
 * a time to live of 24 hours that the node renews. A key that never ends is a reservation and stays
 * one.
 *
 * <p>flanneld's own condition for a new lease, that its key is absent, lets two nodes have one IPv4
 * subnet together with different IPv6 subnets, or overlapping subnets of different lengths. So
 * {@link LeaseAllocation} serialises the allocations of all agents. Where a flanneld allocates at
 * the same moment, the newer of two overlapping leases is given up, if it is ours.
 */
final class KeyLeaseRegistry implements LeaseRegistry {
  static final Duration TTL = Duration.ofHours(24);

  /** Somebody else who restores as well must not keep both of us busy. */
  private static final Duration BETWEEN_RESTORES = Duration.ofSeconds(1);

  private static final int MAX_CONFIGURATION = 1 << 20;

  private final KeyValueStore store;
  private final LeaseKeys names;
  private final Path netConfFile;
  private final Duration margin;
  private final InstantSource clock;
  private final RepairLog log;
  private final LeaseAllocation allocation;
  private final KeyFollower follower;
  private @Nullable Own own;
  private @Nullable LeaseSubnets last;
  private Instant restored = Instant.EPOCH;

  /**
   * This node's key.
   *
   * @param lease 0 for a reservation
   * @param revision of our last write
   */
  record Own(SubnetLease subnet, String value, long lease, long revision, Instant renewal) {}

  /**
   * @param changed called after each change of the keys
   */
  KeyLeaseRegistry(
      KeyValueStore store,
      FlannelSettings settings,
      InstantSource clock,
      RandomGenerator random,
      RepairLog log,
      Runnable changed) {
    this.store = store;
    this.names = new LeaseKeys(settings.keyPrefix());
    this.netConfFile = settings.netConf();
    this.margin = settings.renewMargin();
    this.clock = clock;
    this.log = log;
    this.allocation = new LeaseAllocation(store, names, random, log);
    this.follower = new KeyFollower(store, names.all(), changed);
  }

  @Override
  public boolean isKnown() {
    return follower.keys().isPresent();
  }

  @Override
  public Optional<String> problem() {
    return follower.problem();
  }

  private KeyFollower.Keys keys() {
    return follower
        .keys()
        .orElseThrow(() -> new FlannelException("the leases have not been read yet"));
  }

  /** A file is stored if nobody has stored a configuration yet: the first one counts. */
  @Override
  public NetConf configuration() {
    KeyValue stored = keys().entries().get(names.configuration());
    if (stored != null) {
      return read(names.configuration(), stored.value());
    }
    String text;
    try {
      text = new String(RegularFile.read(netConfFile, MAX_CONFIGURATION), UTF_8);
    } catch (IOException e) {
      throw new FlannelException(
          "the network is not configured: put its configuration under the key %s, or into the file %s of FLANNELD_NET_CONFIG_PATH on a node (%s)"
              .formatted(names.configuration(), netConfFile, e),
          e);
    }
    NetConf conf = read(netConfFile.toString(), text);
    return switch (store.commit(Transaction.create(names.configuration(), text))) {
      case TransactionOutcome.Committed _ -> {
        log.write(
            "the network configuration in %s is now that of the cluster".formatted(netConfFile));
        yield conf;
      }
      case TransactionOutcome.Refused refused -> {
        KeyValue first = refused.current().get(names.configuration());
        yield first == null ? conf : read(names.configuration(), first.value());
      }
    };
  }

  private static NetConf read(String origin, String text) {
    NetConf conf = NetConf.read(origin, text);
    conf.enabled().forEach(conf::range);
    return conf;
  }

  @Override
  public Map<IpFamily, IpAddress> publicAddresses() {
    return Map.of();
  }

  @Override
  public Optional<LeaseAttributes> published(LeaseAttributes self) {
    return leases().stream()
        .map(SubnetLease::attributes)
        .filter(self::isSameNode)
        .filter(it -> it.backendType().equals(self.backendType()))
        .findFirst();
  }

  @Override
  public SubnetLease ensure(NetConf conf, LeaseAttributes wanted, Optional<LeaseSubnets> previous) {
    KeyFollower.Keys keys = keys();
    Own known = own;
    if (known != null && keys.revision() >= known.revision()) {
      own = checked(conf, known, keys);
      known = own;
    }
    KeyValue there = known == null ? null : keys.entries().get(names.key(known.subnet().name()));
    if (known == null) {
      Optional<LeaseSubnets> preferred = Optional.ofNullable(last).or(() -> previous);
      known = withRenewal(allocation.acquire(conf, wanted, preferred, TTL));
    } else if (!known.value().equals(wanted.json()) && there != null) {
      known = put(known, wanted, there);
    }
    own = known;
    last = known.subnet().subnets();
    return known.subnet();
  }

  /** Compares what the store has with what we wrote; null when the lease is not ours any more. */
  private @Nullable Own checked(NetConf conf, Own known, KeyFollower.Keys keys) {
    SubnetLease mine = known.subnet();
    KeyValue there = keys.entries().get(names.key(mine.name()));
    if (there == null) {
      log.write(
          "lease %s was deleted by somebody else, or has ended: acquiring it again"
              .formatted(mine));
      return null;
    }
    boolean same = there.value().equals(known.value());
    if (!same && there.created() > mine.created()) {
      log.write(
          "lease %s has ended, and another node has its subnet now: acquiring another"
              .formatted(mine));
      return null;
    }
    Optional<SubnetLease> older = olderOverlap(mine);
    if (older.isPresent()) {
      log.write("lease %s overlaps %s, which is older: giving it up".formatted(mine, older.get()));
      store.commit(Transaction.delete(there.key(), there.modified()));
      return null;
    }
    if (!LeaseAllocation.allows(conf, mine.subnets())) {
      log.write(
          "lease %s does not fit the network configuration any more: giving it up".formatted(mine));
      store.commit(Transaction.delete(there.key(), there.modified()));
      return null;
    }
    if (!same) {
      return restored(known, there);
    }
    if (there.lease() == 0 && known.lease() != 0) {
      log.write("lease %s is a reservation from now on".formatted(mine));
      return new Own(mine, known.value(), 0, known.revision(), Instant.MAX);
    }
    return there.lease() == known.lease() ? known : put(known, mine.attributes(), there);
  }

  private Own restored(Own known, KeyValue there) {
    if (clock.instant().isBefore(restored.plus(BETWEEN_RESTORES))) {
      throw new FlannelException(
          "lease %s is overwritten again and again: another node may have the same public address"
              .formatted(known.subnet()));
    }
    restored = clock.instant();
    log.write(
        "lease %s was overwritten by somebody else (%s): restored"
            .formatted(known.subnet(), Quoted.brief(there.value())));
    return put(known, known.subnet().attributes(), there);
  }

  /** Agents never allocate overlapping subnets, but a flanneld may at the same time. */
  private Optional<SubnetLease> olderOverlap(SubnetLease mine) {
    return leases().stream()
        .filter(other -> !other.name().equals(mine.name()) && other.created() < mine.created())
        .filter(other -> other.subnets().overlaps(mine.subnets()))
        .findFirst();
  }

  private Own withRenewal(LeaseAllocation.Acquired acquired) {
    return new Own(
        acquired.subnet(),
        acquired.subnet().attributes().json(),
        acquired.lease(),
        acquired.revision(),
        acquired.lease() == 0 ? Instant.MAX : clock.instant().plus(TTL).minus(margin));
  }

  /**
   * Writes our value again, with a lease of its own.
   *
   * @param there what the copy has
   */
  private Own put(Own known, LeaseAttributes wanted, KeyValue there) {
    long lease = known.lease() == 0 ? 0 : store.grantLease(TTL);
    TransactionOutcome outcome =
        store.commit(
            new Transaction(
                List.of(Condition.unchanged(there)),
                List.of(new Change.Put(there.key(), wanted.json(), lease))));
    if (outcome instanceof TransactionOutcome.Refused) {
      revoke(lease);
      throw new FlannelException(
          "lease %s is being changed by somebody else".formatted(known.subnet()));
    }
    // The key has left the lease it had, so nothing goes with that.
    revoke(known.lease());
    SubnetLease mine = known.subnet();
    return withRenewal(
        new LeaseAllocation.Acquired(
            new SubnetLease(mine.name(), mine.subnets(), wanted, mine.created(), lease == 0),
            lease,
            outcome.revision()));
  }

  private void revoke(long lease) {
    if (lease != 0) {
      try {
        store.revokeLease(lease);
      } catch (NotFoundException _) {
        // It has ended.
      }
    }
  }

  @Override
  public List<SubnetLease> others() {
    Own known = own;
    return leases().stream()
        .filter(lease -> known == null || !lease.name().equals(known.subnet().name()))
        .sorted(Comparator.comparing(SubnetLease::name))
        .toList();
  }

  private List<SubnetLease> leases() {
    return keys().entries().values().stream().flatMap(it -> names.lease(it).stream()).toList();
  }

  @Override
  public List<String> unreadable() {
    List<String> lines = new ArrayList<>();
    keys().entries().values().forEach(entry -> names.problem(entry).ifPresent(lines::add));
    lines.sort(Comparator.naturalOrder());
    return lines;
  }

  @Override
  public void renew() {
    Own known = own;
    if (known == null || clock.instant().isBefore(known.renewal())) {
      return;
    }
    try {
      store.keepAlive(known.lease());
      own =
          new Own(
              known.subnet(),
              known.value(),
              known.lease(),
              known.revision(),
              clock.instant().plus(TTL).minus(margin));
    } catch (NotFoundException e) {
      // The key went with it, and another node may have the subnet by now.
      own = null;
      throw new FlannelException(
          "lease %s has ended: acquiring it again".formatted(known.subnet()), e);
    }
  }

  @Override
  public Optional<Instant> renewal() {
    return Optional.ofNullable(own).map(Own::renewal).filter(it -> it.isBefore(Instant.MAX));
  }

  @Override
  public void close() {
    follower.close();
  }
}

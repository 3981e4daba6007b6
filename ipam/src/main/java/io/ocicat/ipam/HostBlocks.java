package io.ocicat.ipam;

import io.ocicat.datastore.IpVersion;
import io.ocicat.datastore.Query;
import io.ocicat.datastore.Resource;
import io.ocicat.datastore.ResourceKey;
import io.ocicat.datastore.model.BlockAffinity;
import io.ocicat.datastore.model.BlockAffinity.State;
import io.ocicat.ip.IpPrefix;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Which blocks an owner has of one family, as it was last listed or claimed. What is kept may be
 * old; where it matters the affinity is a condition of the write, or is listed again.
 */
final class HostBlocks {
  private final Records records;
  private final BlockOwner owner;
  private final IpVersion version;
  private final Map<IpPrefix, Resource> affinities = new TreeMap<>();
  private boolean listed;

  private final ReentrantLock claiming = new ReentrantLock();
  private long generation;

  HostBlocks(Records records, BlockOwner owner, IpVersion version) {
    this.records = records;
    this.owner = owner;
    this.version = version;
  }

  /** All that one process works for. */
  static final class Register {
    private record Id(BlockOwner owner, IpVersion version) {}

    private final Records records;
    private final Map<Id, HostBlocks> all = new ConcurrentHashMap<>();

    Register(Records records) {
      this.records = records;
    }

    HostBlocks of(BlockOwner owner, IpVersion version) {
      return all.computeIfAbsent(
          new Id(owner, version), id -> new HostBlocks(records, id.owner(), id.version()));
    }

    void forget() {
      all.values().forEach(HostBlocks::doubt);
    }
  }

  /** An affinity as far as it is known. */
  record Affine(IpPrefix cidr, Resource affinity) {
    boolean isConfirmed() {
      State state = BlockAffinity.of(affinity).state();
      return state == State.CONFIRMED || state == State.UNKNOWN;
    }
  }

  /** In the order of their addresses. Read from the datastore when nothing is known. */
  synchronized List<Affine> list() {
    if (!listed || !records.together()) {
      refresh();
    }
    return affinities.entrySet().stream()
        .map(entry -> new Affine(entry.getKey(), entry.getValue()))
        .toList();
  }

  /** As far as they are known. */
  synchronized Set<IpPrefix> cidrs() {
    return Set.copyOf(affinities.keySet());
  }

  /** Held while a block is claimed, so that requests at the same time share one. */
  ReentrantLock claiming() {
    return claiming;
  }

  /** Another one each time that a block came. */
  synchronized long generation() {
    return generation;
  }

  /** Reads them anew. */
  synchronized void refresh() {
    affinities.clear();
    Query query = new Query.Affinities(owner.type(), owner.name(), version);
    for (Resource affinity : records.datastore().list(query).items()) {
      if (!BlockAffinity.of(affinity).deleted()) {
        affinities.put(((ResourceKey.Affinity) affinity.key()).cidr(), affinity);
      }
    }
    listed = true;
  }

  synchronized void learn(IpPrefix cidr, Resource affinity) {
    affinities.put(cidr, affinity);
    generation++;
  }

  synchronized void forget(IpPrefix cidr) {
    affinities.remove(cidr);
  }

  /** The next list is read from the datastore. */
  synchronized void doubt() {
    listed = false;
  }
}

package io.ocicat.ipam.gc;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.resource.AffinityType;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.block.AddressLookup;
import io.ocicat.ipam.check.IpamFinding;
import io.ocicat.ipam.check.IpamInventory;
import io.ocicat.ipam.cluster.Cooldown;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.ipam.model.HostReserved;
import io.ocicat.ipam.model.IpamException;
import io.ocicat.ipam.model.ReleaseRequest;
import io.ocicat.ipam.model.ReleaseResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds and releases leaked addresses, and blocks of hosts that no longer exist. An address is
 * released only when two runs, at least the grace period apart, both found it assigned with the
 * same sequence number while nobody used it, when that holds for every address of its handle, and
 * then only if it still has that handle and sequence number. So an address that was reassigned in
 * between is never touched. Addresses of tunnels and services, and those without handle or node,
 * are left alone. Those of a virtual machine belong to it whether it runs or not: they are leaked
 * when the machine is certainly gone.
 *
 * <p>One per process: it keeps what the previous run saw. Not thread-safe.
 */
public final class GarbageCollector {
  /** Calico's: a machine may be deleted and recreated, and should then get its address back. */
  private static final Duration GRACE_OF_MACHINES = Duration.ofMinutes(5);

  private final Ipam ipam;
  private final IpamRecords records;
  private final ClockAndRandom sources;
  private final VirtualMachines machines;
  private final long grace;
  private final Map<IpAddress, Suspect> ofNode = new HashMap<>();
  private final Map<IpAddress, Suspect> ofCluster = new HashMap<>();
  private Map<BlockOwner, Long> lostHosts = new HashMap<>();

  private record Suspect(AddressInfo info, long since) {}

  public GarbageCollector(
      Ipam ipam,
      Datastore datastore,
      ClockAndRandom sources,
      VirtualMachines machines,
      Duration grace) {
    this.ipam = ipam;
    this.records = new IpamRecords(datastore);
    this.sources = sources;
    this.machines = machines;
    this.grace = grace.toNanos();
  }

  /** Collects leaked addresses of one node. */
  public CollectionResult collect(NodeLiveness liveness) {
    String owned = BlockOwner.host(liveness.node()).toString();
    return collect(
        ofNode,
        block -> block.affinity() == null || block.affinity().equals(owned),
        info ->
            isOf(liveness.node(), info)
                && !info.owner().containsKey(CalicoConventions.TYPE)
                && !liveness.isAlive(info)
                && !isKept(info),
        new ArrayList<>(),
        new ArrayList<>());
  }

  /**
   * Collects nodes that no longer exist, with their addresses and blocks, and inconsistent handles
   * and affinities. For existing nodes, only their own run knows what is alive.
   */
  public CollectionResult collect(ClusterLiveness liveness) {
    List<RuntimeException> problems = new ArrayList<>();
    List<IpamFinding> repaired = new ArrayList<>();
    for (IpamFinding finding : ipam.check().run().findings()) {
      if (finding.isSafe()) {
        attempt(
            problems,
            () -> {
              if (ipam.check().repair(finding)) {
                repaired.add(finding);
              }
            });
      }
    }
    CollectionResult addresses =
        collect(
            ofCluster,
            _ -> true,
            info ->
                isOfNone(liveness.nodes(), info)
                    && !liveness.used().contains(info.address())
                    && !isKept(info),
            repaired,
            problems);
    List<BlockOwner> gone = releaseHosts(liveness, problems);
    return new CollectionResult(
        addresses.released(), addresses.suspects(), repaired, gone, problems);
  }

  /** A machine without a running pod has no node: then the block's owner is responsible. */
  private static boolean isOf(String node, AddressInfo info) {
    Set<String> nodes = nodes(info);
    return (isMachine(info) && nodes.isEmpty())
        ? BlockOwner.host(node).equals(info.blockOwner())
        : nodes.contains(node);
  }

  private static boolean isOfNone(Set<String> there, AddressInfo info) {
    Set<String> nodes = nodes(info);
    return (isMachine(info) || !nodes.isEmpty()) && nodes.stream().noneMatch(there::contains);
  }

  private static Set<String> nodes(AddressInfo info) {
    return Stream.of(info.owner(), info.alternate())
        .flatMap(owner -> Stream.ofNullable(owner.get(CalicoConventions.NODE)))
        .collect(Collectors.toSet());
  }

  private static boolean isMachine(AddressInfo info) {
    return CalicoConventions.mayBeVirtualMachine(info.handle());
  }

  private boolean isKept(AddressInfo info) {
    return isMachine(info) && machines.mayExist(info);
  }

  private CollectionResult collect(
      Map<IpAddress, Suspect> suspects,
      Predicate<IpamBlock> isLookedAfter,
      Predicate<AddressInfo> looksDead,
      List<IpamFinding> repaired,
      List<RuntimeException> problems) {
    long now = sources.nanoTime().getAsLong();
    Map<IpAddress, Suspect> seen = new HashMap<>();
    Set<String> alive = new TreeSet<>();
    for (IpamRecords.Stored<IpamBlock> block : records.blocks(ResourceQuery.of(Kind.IPAM_BLOCK))) {
      if (Cooldown.concerns(block.value()) && isLookedAfter.test(block.value())) {
        attempt(problems, () -> ipam.freeCooledDown(block.value()));
      }
      for (AddressInfo info : AddressLookup.inUse(block.value())) {
        String handle = info.handle();
        if (handle == null || HostReserved.isReserved(handle)) {
          continue;
        }
        if (looksDead.test(info)) {
          Suspect before = suspects.get(info.address());
          boolean same = before != null && isSame(before.info(), info);
          seen.put(info.address(), same ? before : new Suspect(info, now));
        } else {
          alive.add(handle);
        }
      }
    }
    seen.values().removeIf(suspect -> alive.contains(suspect.info().handle()));
    suspects.clear();
    suspects.putAll(seen);
    return new CollectionResult(
        release(suspects, now, problems),
        suspects.values().stream().map(Suspect::info).toList(),
        repaired,
        List.of(),
        problems);
  }

  private static boolean isSame(AddressInfo before, AddressInfo now) {
    return before.sequenceNumber() == now.sequenceNumber()
        && String.valueOf(before.handle()).equals(now.handle());
  }

  private List<IpAddress> release(
      Map<IpAddress, Suspect> suspects, long now, List<RuntimeException> problems) {
    // One address that is too young protects its whole handle.
    Set<String> young =
        suspects.values().stream()
            .filter(suspect -> suspect.since() == now || now - suspect.since() < grace(suspect))
            .map(suspect -> String.valueOf(suspect.info().handle()))
            .collect(Collectors.toSet());
    List<ReleaseRequest> confirmed =
        suspects.values().stream()
            .map(Suspect::info)
            .filter(info -> !young.contains(String.valueOf(info.handle())))
            .map(ReleaseRequest::of)
            .toList();
    if (confirmed.isEmpty()) {
      return List.of();
    }
    ReleaseResult released = ipam.release(confirmed);
    problems.addAll(released.refused());
    released.released().forEach(suspects::remove);
    released.notAssigned().forEach(suspects::remove);
    return released.released();
  }

  private long grace(Suspect suspect) {
    return isMachine(suspect.info()) ? Math.max(grace, GRACE_OF_MACHINES.toNanos()) : grace;
  }

  /** Releases blocks without addresses in use, of hosts that were found missing twice in a row. */
  private List<BlockOwner> releaseHosts(ClusterLiveness liveness, List<RuntimeException> problems) {
    long now = sources.nanoTime().getAsLong();
    Map<BlockOwner, Long> lost = new HashMap<>();
    for (Resource affinity :
        records.datastore().list(ResourceQuery.of(Kind.BLOCK_AFFINITY)).items()) {
      BlockOwner owner = IpamInventory.ownerOf((ResourceKey.Affinity) affinity.key());
      if (owner.type() == AffinityType.HOST && !liveness.nodes().contains(owner.name())) {
        lost.put(owner, lostHosts.getOrDefault(owner, now));
      }
    }
    lostHosts = lost;
    List<BlockOwner> released = new ArrayList<>();
    lost.forEach(
        (owner, since) -> {
          if (since != now && now - since >= grace) {
            attempt(
                problems,
                () -> {
                  if (releaseHost(owner)) {
                    released.add(owner);
                  }
                });
          }
        });
    released.forEach(lostHosts::remove);
    return released;
  }

  /** A machine that has migrated away may use an address of the block for as long as it lives. */
  private boolean releaseHost(BlockOwner owner) {
    try {
      ipam.releaseHostAffinities(owner, true);
      return true;
    } catch (IpamException e) {
      if (e.reason() == IpamException.Reason.BLOCK_NOT_EMPTY) {
        return false;
      }
      throw e;
    }
  }

  private static void attempt(List<RuntimeException> problems, Runnable step) {
    try {
      step.run();
    } catch (IpamException | DatastoreException e) {
      problems.add(e);
    }
  }
}

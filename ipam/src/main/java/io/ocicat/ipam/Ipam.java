package io.ocicat.ipam;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.model.IpamConfig;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.assign.AffineBlocks;
import io.ocicat.ipam.assign.AssignPrefetch;
import io.ocicat.ipam.assign.AutoAssigner;
import io.ocicat.ipam.assign.BlockAllocator;
import io.ocicat.ipam.assign.BlockClaims;
import io.ocicat.ipam.assign.Borrowing;
import io.ocicat.ipam.assign.ExactAssigner;
import io.ocicat.ipam.assign.HandleQuota;
import io.ocicat.ipam.assign.NewBlocks;
import io.ocicat.ipam.assign.ReleasePrefetch;
import io.ocicat.ipam.assign.Releaser;
import io.ocicat.ipam.block.AddressLookup;
import io.ocicat.ipam.block.Affinities;
import io.ocicat.ipam.block.BlockAssigner;
import io.ocicat.ipam.block.BlockEdit;
import io.ocicat.ipam.block.BlockFinders;
import io.ocicat.ipam.block.BlockReleaser;
import io.ocicat.ipam.block.BlockRequest;
import io.ocicat.ipam.block.BlockWriter;
import io.ocicat.ipam.block.Blocks;
import io.ocicat.ipam.block.HandleCounts;
import io.ocicat.ipam.block.HostBlocks;
import io.ocicat.ipam.block.OwnerAttributes;
import io.ocicat.ipam.check.IpamCheck;
import io.ocicat.ipam.check.Utilisation;
import io.ocicat.ipam.cluster.ClusterView;
import io.ocicat.ipam.cluster.Cooldown;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.cluster.IpamSettings;
import io.ocicat.ipam.cluster.RetryBackoff;
import io.ocicat.ipam.cluster.UncachedClusterView;
import io.ocicat.ipam.cluster.WatchedClusterView;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.AssignRequest;
import io.ocicat.ipam.model.AutoAssignRequest;
import io.ocicat.ipam.model.AutoAssignResult;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.ClaimedBlocks;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.ipam.model.HostReserved;
import io.ocicat.ipam.model.IpamException;
import io.ocicat.ipam.model.OwnerAttributeChange;
import io.ocicat.ipam.model.PoolUse;
import io.ocicat.ipam.model.ReleaseRequest;
import io.ocicat.ipam.model.ReleaseResult;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Calico-compatible IPAM: assigns, looks up and releases addresses in records that Calico reads and
 * writes concurrently. Any number of processes on any number of hosts may do so; an address never
 * has two owners.
 *
 * <p>A request that cannot be served throws an {@link IpamException} with its reason; datastore
 * errors are {@link io.ocicat.datastore.error.DatastoreException}s. Does not own the datastore.
 * Thread-safe: concurrent requests share writes.
 */
public final class Ipam implements AutoCloseable {
  private final ClusterView view;
  private final Blocks blocks;
  private final HostBlocks.Register hosts;
  private final AddressLookup lookup;
  private final AutoAssigner autoAssigner;
  private final ExactAssigner exactAssigner;
  private final Releaser releaser;
  private final BlockClaims ownership;
  private final IpamSettings configuration;
  private final Utilisation utilisation;
  private final IpamCheck check;

  Ipam(IpamRecords records, ClusterView view, ClockAndRandom sources) {
    RetryBackoff backoff = new RetryBackoff(sources.random());
    Cooldown.Source cooldown = () -> new Cooldown(view.cooldown(), sources.clock().instant());
    BlockWriter writer = BlockWriter.of(records, cooldown, backoff);
    this.view = view;
    this.blocks = new Blocks(records, cooldown, writer, backoff, sources.nanoTime());
    this.hosts = new HostBlocks.Register(records, writer, sources.nanoTime());
    this.lookup = new AddressLookup(records, view);
    Affinities affinities = new Affinities(records, blocks, writer, sources, backoff);
    HandleCounts counts = new HandleCounts(records, blocks, writer);
    BlockAssigner assigner = new BlockAssigner(blocks, writer);
    BlockReleaser blockReleaser = new BlockReleaser(blocks, writer);
    HandleQuota quota = new HandleQuota(records, counts, lookup);
    BlockAllocator allocator = new BlockAllocator(assigner, quota);
    BlockFinders finders = new BlockFinders(records, blocks, affinities, sources);
    AffineBlocks own = new AffineBlocks(blocks, allocator, affinities);
    this.autoAssigner =
        new AutoAssigner(
            view,
            hosts,
            writer,
            blockReleaser,
            quota,
            own,
            new NewBlocks(view, blocks, affinities, finders, sources),
            new Borrowing(blocks, allocator, finders));
    this.exactAssigner =
        new ExactAssigner(records, view, assigner, counts, affinities, hosts, lookup);
    this.releaser =
        new Releaser(
            records, view, blocks, writer, blockReleaser, counts, affinities, hosts, lookup);
    this.ownership = new BlockClaims(records, view, affinities, hosts);
    this.configuration = new IpamSettings(records);
    this.utilisation = new Utilisation(records, view, blocks);
    this.check = new IpamCheck(records, view, blocks, counts, affinities, releaser);
  }

  /**
   * Creates an IPAM for a single call: it reads pools, node and settings each time and starts no
   * thread.
   */
  public static Ipam forOneCall(Datastore datastore, ClockAndRandom sources) {
    IpamRecords records = new IpamRecords(datastore);
    return new Ipam(records, new UncachedClusterView(records), sources);
  }

  /**
   * Creates an IPAM for a resident process: it caches pools, nodes and settings and watches them.
   */
  public static Ipam resident(Datastore datastore, ClockAndRandom sources) {
    IpamRecords records = new IpamRecords(datastore);
    return new Ipam(records, new WatchedClusterView(records, sources.nanoTime()), sources);
  }

  /**
   * Assigns any free addresses, of both families. Fewer than requested is not an error: check
   * {@link AutoAssignResult#isComplete}, and release a partial result that is of no use. When an
   * exception is thrown, nothing stays assigned.
   *
   * @throws IpamException with NO_SUCH_NODE, NO_POOL, POOL_NOT_USABLE, HANDLE_LIMIT or
   *     TOO_MANY_CONFLICTS
   */
  public AutoAssignResult autoAssign(AutoAssignRequest request) {
    return autoAssign(request, Optional.empty());
  }

  /** The same with the reads that {@link #prefetchAssign} has started. */
  public AutoAssignResult autoAssign(AutoAssignRequest request, Optional<AssignPrefetch> prefetch) {
    return autoAssigner.assign(request, prefetch);
  }

  /**
   * Starts the reads that {@link #autoAssign} needs for a host; empty when everything may come from
   * a cache.
   */
  public Optional<AssignPrefetch> prefetchAssign(String host, List<IpVersion> versions) {
    return autoAssigner.prefetch(BlockOwner.host(host), versions);
  }

  /**
   * Assigns a specific address.
   *
   * @throws IpamException with OUTSIDE_POOLS, ADDRESS_TAKEN, STRICT_AFFINITY, HANDLE_LIMIT or
   *     TOO_MANY_CONFLICTS
   */
  public void assign(AssignRequest request) {
    exactAssigner.assign(request);
  }

  /**
   * Releases addresses, all or none per block: when one has a different handle or sequence number
   * than expected (BAD_HANDLE, BAD_SEQUENCE_NUMBER in {@link ReleaseResult#refused}), none of that
   * block is released.
   */
  public ReleaseResult release(List<ReleaseRequest> releases) {
    return releaser.release(releases);
  }

  /**
   * Releases all addresses of a handle and deletes the handle.
   *
   * @return the released addresses; may be empty
   * @throws IpamException with NO_SUCH_HANDLE
   */
  public List<IpAddress> releaseByHandle(String handle) {
    return releaseByHandle(handle, Optional.empty());
  }

  /** The same with the read that {@link #prefetchRelease} has started. */
  public List<IpAddress> releaseByHandle(String handle, Optional<ReleasePrefetch> prefetch) {
    return releaser.releaseByHandle(handle, prefetch);
  }

  /** Starts the read that {@link #releaseByHandle} needs; empty when it may come from a cache. */
  public Optional<ReleasePrefetch> prefetchRelease(String handle) {
    return releaser.prefetch(handle);
  }

  /**
   * Returns the addresses of a handle.
   *
   * @throws IpamException with NO_SUCH_HANDLE
   */
  public List<IpAddress> addressesOf(String handle) {
    return lookup.byHandle(lookup.handle(handle));
  }

  /**
   * Returns who has an address, whether or not its pool still exists.
   *
   * @throws IpamException with NOT_ASSIGNED
   */
  public AddressInfo info(IpAddress address) {
    return lookup.info(address);
  }

  /**
   * Changes the recorded owner of an address.
   *
   * @throws IpamException with NOT_ASSIGNED, BAD_HANDLE or, when the owner is not the expected one,
   *     BAD_OWNER
   */
  public void changeOwner(IpAddress address, String handle, OwnerAttributeChange change) {
    AddressInfo now = lookup.info(address);
    try {
      blocks.change(now.block(), edit -> OwnerAttributes.change(edit, address, handle, change));
    } catch (IpamException e) {
      if (e.reason() == IpamException.Reason.NO_SUCH_BLOCK) {
        throw new IpamException(
            IpamException.Reason.NOT_ASSIGNED,
            "address %s is not assigned any more".formatted(address),
            e);
      }
      throw e;
    }
  }

  /**
   * Claims the blocks of a range for an owner.
   *
   * @throws IpamException with OUTSIDE_POOLS or, when the range is smaller than a block,
   *     INVALID_REQUEST
   */
  public ClaimedBlocks claimAffinity(IpPrefix cidr, BlockOwner owner) {
    return ownership.claim(cidr, owner);
  }

  /**
   * Releases an owner's blocks in a range; blocks of other owners are left alone.
   *
   * @param requireEmpty whether to keep blocks that have addresses in use
   * @throws IpamException with OUTSIDE_POOLS, INVALID_REQUEST or, after all others were released,
   *     BLOCK_NOT_EMPTY
   */
  public void releaseAffinity(IpPrefix cidr, BlockOwner owner, boolean requireEmpty) {
    ownership.release(cidr, owner, requireEmpty);
  }

  /** Releases all blocks of an owner, in any pool or in none. */
  public void releaseHostAffinities(BlockOwner owner, boolean requireEmpty) {
    ownership.releaseHost(owner, requireEmpty);
  }

  /**
   * Releases all blocks of a pool, which should be disabled, whatever their owner and whether in
   * use or not.
   */
  public void releasePoolAffinities(IpPrefix pool) {
    ownership.releasePool(pool);
  }

  /** Releases the blocks of a host that no longer exists. Addresses stay assigned. */
  public void removeHost(BlockOwner owner) {
    ownership.removeHost(owner);
  }

  /**
   * Upgrades what older versions have written for a host; call it once per start.
   *
   * @return how many records were written
   */
  public int upgradeHost(String host) {
    return ownership.upgrade(host);
  }

  /**
   * Ensures that a host has a block, with the addresses it reserves for itself.
   *
   * @return the block
   * @throws IpamException with NO_SUCH_NODE, NO_POOL or POOL_NOT_USABLE
   */
  public Optional<IpPrefix> ensureBlock(
      String host, IpVersion version, HostReserved reserved, List<IpPrefix> pools) {
    return autoAssigner.ensureBlock(
        AutoAssignRequest.on(host)
            .withPools(pools)
            .withReserved(
                version == IpVersion.V4 ? reserved : null,
                version == IpVersion.V6 ? reserved : null),
        version);
  }

  /** Returns the stored settings, or the defaults when none are stored. Never writes. */
  public IpamConfig config() {
    return configuration.get();
  }

  /**
   * Changes the settings.
   *
   * @throws IpamException with BAD_CONFIGURATION
   */
  public void configure(IpamConfig wanted) {
    configuration.set(wanted);
    view.invalidate();
  }

  /**
   * Counts addresses in use for all pools, including disabled ones, and for blocks outside any
   * pool.
   *
   * @param pools limits the result to these, by name or CIDR; empty for all
   */
  public List<PoolUse> utilisation(List<String> pools) {
    return utilisation.of(pools);
  }

  /** Checks IPAM's records for inconsistencies. */
  public IpamCheck check() {
    return check;
  }

  /**
   * Writes a block's addresses whose cooldown is over as free, so that other readers see them as
   * free. A block without an owner is deleted if that leaves it empty.
   */
  public void freeCooledDown(IpamBlock block) {
    if (blocks.edit(block).freeCount() == block.unallocated().size()) {
      return;
    }
    try {
      // "Nothing to do" is only a valid answer for a block that was just read.
      blocks
          .queue(block.cidr())
          .perform(new BlockRequest<>(BlockEdit::keepFreed, any -> any, Set.of()));
    } catch (IpamException e) {
      if (e.reason() != IpamException.Reason.NO_SUCH_BLOCK) {
        throw e;
      }
    }
  }

  /** Returns every assigned address of a block. */
  public static List<AddressInfo> inUse(IpamBlock block) {
    return AddressLookup.inUse(block);
  }

  /** Clears all caches: the next answers come from the datastore. */
  public void invalidate() {
    view.invalidate();
    blocks.invalidate();
    hosts.invalidate();
  }

  /** Stops all watches. */
  @Override
  public void close() {
    view.close();
  }
}

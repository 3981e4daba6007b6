package io.ocicat.ipam.assign;

import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.model.IpamConfig;
import io.ocicat.datastore.model.IpamHandle;
import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.datastore.resource.Write;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.block.AddressLookup;
import io.ocicat.ipam.block.Affinities;
import io.ocicat.ipam.block.BlockAssigner;
import io.ocicat.ipam.block.HandleCounts;
import io.ocicat.ipam.block.Handles;
import io.ocicat.ipam.block.HostBlocks;
import io.ocicat.ipam.block.Requester;
import io.ocicat.ipam.cluster.ClusterView;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.cluster.PoolList;
import io.ocicat.ipam.cluster.Revisioned;
import io.ocicat.ipam.cluster.StaleViewException;
import io.ocicat.ipam.model.AssignRequest;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.IpamException;
import java.util.List;
import java.util.Optional;

/**
 * Assigns the specific address that was requested. Selectors, reservations and block limits do not
 * apply, the pool's allowed uses only if the request names a use, and the node need not exist.
 * Thread-safe.
 */
public final class ExactAssigner {
  private static final int ATTEMPTS = 100;

  private final IpamRecords records;
  private final ClusterView view;
  private final BlockAssigner assigner;
  private final HandleCounts counts;
  private final Affinities affinities;
  private final HostBlocks.Register hosts;
  private final AddressLookup lookup;

  public ExactAssigner(
      IpamRecords records,
      ClusterView view,
      BlockAssigner assigner,
      HandleCounts counts,
      Affinities affinities,
      HostBlocks.Register hosts,
      AddressLookup lookup) {
    this.records = records;
    this.view = view;
    this.assigner = assigner;
    this.counts = counts;
    this.affinities = affinities;
    this.hosts = hosts;
    this.lookup = lookup;
  }

  public void assign(AssignRequest request) {
    for (int i = 0; i < ATTEMPTS; i++) {
      try {
        if (isOursAlready(request) || tryAssign(request)) {
          return;
        }
      } catch (StaleViewException _) {
        view.invalidate();
      } catch (IpamException e) {
        if (e.reason() != IpamException.Reason.ADDRESS_TAKEN || !isOursAlready(request)) {
          throw e;
        }
        return;
      }
    }
    throw new IpamException(
        IpamException.Reason.TOO_MANY_CONFLICTS,
        "others have changed the block of %s each of %d times: try again"
            .formatted(request.address(), ATTEMPTS));
  }

  private boolean tryAssign(AssignRequest request) {
    Revisioned<IpPool> pool = view.pools().requireEnabledFor(request.address());
    requireAllowed(request, pool.value());
    IpPrefix cidr = PoolList.blockOf(request.address(), pool.value());
    Revisioned<IpamConfig> config = view.config();
    BlockOwner owner = BlockOwner.host(request.host());
    Optional<IpamRecords.Stored<IpamHandle>> handle = limited(request);
    Requester requester =
        new Requester(
            new IpamBlock.Attributes(request.handle(), request.attributes()),
            config.value().strictAffinity() ? owner : null,
            request.maxPerHandle(),
            request.maxPerHandle() > 0 && request.handle() != null
                ? Handles.pinned(request.handle(), handle)
                : null,
            List.<Write.Expect>of(pool.asCondition(), config.asCondition()),
            null);
    try {
      assigner.allocateOne(cidr, request.address(), requester);
      return true;
    } catch (IpamException e) {
      if (e.reason() != IpamException.Reason.NO_SUCH_BLOCK) {
        throw e;
      }
    }
    // Whether or not this claim succeeds, the block exists in the next round.
    if (affinities.claim(owner, cidr, request.reserved()) instanceof Affinities.Claim.Ours ours) {
      hosts.of(owner, IpVersion.of(cidr)).update(cidr, ours.affinity());
    }
    return false;
  }

  private static void requireAllowed(AssignRequest request, IpPool pool) {
    IpPool.Use use = request.use();
    if (use != null && !pool.allows(use)) {
      throw new IpamException(
          IpamException.Reason.POOL_NOT_USABLE,
          "IP address %s is in IP pool \"%s\", which is not allowed for use \"%s\" (allowedUses: %s): ask for an address of another"
              .formatted(
                  request.address(),
                  pool.name(),
                  use.text(),
                  pool.uses().stream().map(IpPool.Use::text).sorted().toList()));
    }
  }

  private Optional<IpamRecords.Stored<IpamHandle>> limited(AssignRequest request) {
    if (request.maxPerHandle() == 0 || request.handle() == null) {
      return Optional.empty();
    }
    Optional<IpamRecords.Stored<IpamHandle>> handle = records.handle(request.handle());
    if (handle.isPresent()) {
      IpVersion version = request.address().isV4() ? IpVersion.V4 : IpVersion.V6;
      long has =
          lookup.byHandle(handle.get().value()).stream()
              .filter(address -> address.isV4() == request.address().isV4())
              .count();
      if (has < Handles.total(handle.get().value(), version)) {
        // Another process died, or is still at work, between counting and allocating.
        counts.recountAll(handle.get().value());
        handle = records.handle(request.handle());
      }
      handle.ifPresent(
          found -> Handles.checkLimit(found.value(), version, 1, request.maxPerHandle()));
    }
    return handle;
  }

  /**
   * A repeated request of a handle with a limit succeeds when the handle already has this address.
   */
  private boolean isOursAlready(AssignRequest request) {
    if (request.maxPerHandle() == 0 || request.handle() == null) {
      return false;
    }
    return records
        .handle(request.handle())
        .map(handle -> lookup.byHandle(handle.value()).contains(request.address()))
        .orElse(false);
  }
}

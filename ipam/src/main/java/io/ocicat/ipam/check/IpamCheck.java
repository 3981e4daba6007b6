package io.ocicat.ipam.check;

import io.ocicat.datastore.model.BlockAffinity;
import io.ocicat.datastore.model.IpamBlock.Attributes;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.assign.Releaser;
import io.ocicat.ipam.block.Affinities;
import io.ocicat.ipam.block.BlockEdit;
import io.ocicat.ipam.block.Blocks;
import io.ocicat.ipam.block.HandleCounts;
import io.ocicat.ipam.cluster.ClusterView;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.IpamException;
import io.ocicat.ipam.model.ReleaseRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks all blocks, handles and affinities for inconsistencies, and repairs them. Other processes
 * keep working meanwhile; differences that may be due to that are checked twice, and every repair
 * is conditional on the problem still being there.
 */
public final class IpamCheck {
  private final IpamRecords records;
  private final ClusterView view;
  private final Blocks blocks;
  private final HandleCounts counts;
  private final Affinities affinities;
  private final Releaser releaser;

  public IpamCheck(
      IpamRecords records,
      ClusterView view,
      Blocks blocks,
      HandleCounts counts,
      Affinities affinities,
      Releaser releaser) {
    this.records = records;
    this.view = view;
    this.blocks = blocks;
    this.counts = counts;
    this.affinities = affinities;
    this.releaser = releaser;
  }

  /**
   * The result of a check.
   *
   * @param assigned every assigned address
   * @param coolingDown how many addresses are in cooldown
   * @param blocks how many blocks exist
   * @param handles how many handles exist
   */
  public record Report(
      List<IpamFinding> findings,
      List<AddressInfo> assigned,
      int coolingDown,
      int blocks,
      int handles) {
    public Report {
      findings = List.copyOf(findings);
      assigned = List.copyOf(assigned);
    }
  }

  /** Checks IPAM's own records. */
  public Report run() {
    return inspect(null);
  }

  /**
   * Checks IPAM's own records, and the assigned addresses against those in use.
   *
   * @param used every address of an endpoint, a node's tunnel or a service
   */
  public Report run(Set<IpAddress> used) {
    return inspect(used);
  }

  private Report inspect(@Nullable Set<IpAddress> used) {
    IpamInventory inventory = IpamInventory.read(records, view.pools());
    List<IpamFinding> findings = new ArrayList<>(inventory.unreadable());
    findings.addAll(HandleCheck.run(records, inventory));
    findings.addAll(BlockCheck.run(records, inventory, blocks));
    if (used != null) {
      findings.addAll(UsageCheck.run(inventory, used));
    }
    return new Report(
        findings,
        inventory.assigned(),
        inventory.blocks().values().stream()
            .mapToInt(block -> blocks.edit(block).inUse(Attributes::isCoolingDown).size())
            .sum(),
        inventory.blocks().size(),
        inventory.handles().size());
  }

  /**
   * Repairs a finding, if it still holds.
   *
   * @return false when this type cannot be repaired automatically
   */
  public boolean repair(IpamFinding finding) {
    IpPrefix block = finding.block();
    String handle = finding.handle();
    BlockOwner owner = finding.owner();
    AddressInfo info = finding.info();
    switch (finding.type()) {
      case ORPHAN_HANDLE, WRONG_COUNT, MISSING_HANDLE -> {
        if (handle == null) {
          return false;
        }
        HandleRepair.run(records, counts, handle, Optional.ofNullable(block));
      }
      case AFFINITY_WITHOUT_BLOCK, STALE_AFFINITY -> {
        if (block == null || owner == null) {
          return false;
        }
        affinities.removeStale(owner, block);
      }
      case BLOCK_WITHOUT_AFFINITY -> {
        if (block == null || owner == null) {
          return false;
        }
        records
            .block(block)
            .filter(found -> owner.toString().equals(found.value().affinity()))
            .ifPresent(_ -> affinities.claim(owner, block, null));
      }
      case BROKEN_QUEUE -> {
        if (block == null) {
          return false;
        }
        blocks.change(block, BlockEdit::repairQueue);
      }
      case BLOCK_OUTSIDE_POOLS -> {
        if (block == null || owner == null || !finding.isSafe()) {
          return false;
        }
        quietly(() -> affinities.release(owner, block, true, null));
      }
      case LEAKED_ADDRESS -> {
        if (info == null) {
          return false;
        }
        releaser.release(List.of(ReleaseRequest.of(info))).orThrow();
      }
      case OVERLAPPING_BLOCKS, UNASSIGNED_ADDRESS, FOREIGN_ADDRESS, UNREADABLE -> {
        return false;
      }
    }
    return true;
  }

  /** Ignores that the problem no longer exists. */
  private static void quietly(Runnable release) {
    try {
      release.run();
    } catch (IpamException e) {
      switch (e.reason()) {
        case NO_SUCH_BLOCK, CLAIMED_BY_OTHER, BLOCK_NOT_EMPTY -> {}
        default -> throw e;
      }
    }
  }

  /** Whether an affinity is confirmed. */
  public static boolean isConfirmed(BlockAffinity affinity) {
    return affinity.state() == BlockAffinity.State.CONFIRMED
        || affinity.state() == BlockAffinity.State.UNKNOWN;
  }
}

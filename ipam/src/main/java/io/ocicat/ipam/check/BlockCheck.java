package io.ocicat.ipam.check;

import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.model.BlockAffinity;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.block.AddressLookup;
import io.ocicat.ipam.block.BlockEdit;
import io.ocicat.ipam.block.Blocks;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.cluster.PoolChoice;
import io.ocicat.ipam.cluster.Revisioned;
import io.ocicat.ipam.model.BlockOwner;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks blocks against pools, affinities and each other. */
final class BlockCheck {
  private BlockCheck() {}

  public static List<IpamFinding> run(IpamRecords records, IpamInventory inventory, Blocks blocks) {
    List<IpamFinding> findings = new ArrayList<>();
    Set<String> confirmed = new HashSet<>();
    for (BlockAffinity affinity : inventory.affinities()) {
      BlockOwner owner = IpamInventory.ownerOf(affinity.key());
      if (IpamCheck.isConfirmed(affinity)) {
        confirmed.add(owner + " " + affinity.key().cidr());
      }
      checkAffinity(records, inventory, affinity, owner).ifPresent(findings::add);
    }
    @Nullable IpPrefix previous = null;
    for (IpamBlock block : inventory.blocks().values()) {
      if (previous != null && previous.overlaps(block.cidr())) {
        findings.add(
            finding(
                IpamFinding.Type.OVERLAPPING_BLOCKS,
                block.cidr(),
                null,
                false,
                "block %s has the same addresses, which may therefore be assigned twice: release the addresses of one of them and delete it"
                    .formatted(previous)));
      } else {
        previous = block.cidr();
      }
      checkPool(inventory, block, blocks.edit(block)).ifPresent(findings::add);
      checkQueue(block).ifPresent(findings::add);
      BlockOwner.parse(block.affinity())
          .filter(owner -> !confirmed.contains(owner + " " + block.cidr()))
          .flatMap(owner -> checkOwner(records, block.cidr(), owner))
          .ifPresent(findings::add);
    }
    return findings;
  }

  private static IpamFinding finding(
      IpamFinding.Type type,
      IpPrefix block,
      @Nullable BlockOwner owner,
      boolean isSafe,
      String explanation) {
    return new IpamFinding(
        type, "block " + block, explanation, isSafe, block, null, owner, null, null);
  }

  private static Optional<IpamFinding> checkAffinity(
      IpamRecords records, IpamInventory inventory, BlockAffinity affinity, BlockOwner owner) {
    IpPrefix cidr = affinity.key().cidr();
    IpamBlock listed = inventory.blocks().get(cidr);
    if (listed != null && owner.toString().equals(listed.affinity())) {
      return Optional.empty();
    }
    // Read again, the affinity last: it may have just been written.
    Optional<IpamBlock> block;
    try {
      block = records.block(cidr).map(IpamRecords.Stored::value);
    } catch (CorruptException _) {
      return Optional.empty();
    }
    if (records.find(affinity.key()).isEmpty()
        || block.filter(found -> owner.toString().equals(found.affinity())).isPresent()) {
      return Optional.empty();
    }
    return Optional.of(
        block.isEmpty()
            ? finding(
                IpamFinding.Type.AFFINITY_WITHOUT_BLOCK,
                cidr,
                owner,
                true,
                "%s has a %s affinity for it but it does not exist: claiming or releasing it was interrupted. Routers may drop its addresses"
                    .formatted(owner, affinity.state().text()))
            : finding(
                IpamFinding.Type.STALE_AFFINITY,
                cidr,
                owner,
                true,
                "%s has a %s affinity for it, and it belongs to %s"
                    .formatted(
                        owner,
                        affinity.state().text(),
                        Optional.ofNullable(block.get().affinity()).orElse("nobody"))));
  }

  private static Optional<IpamFinding> checkOwner(
      IpamRecords records, IpPrefix cidr, BlockOwner owner) {
    boolean confirmed =
        records
            .find(owner.keyOf(cidr))
            .map(BlockAffinity::of)
            .filter(IpamCheck::isConfirmed)
            .isPresent();
    boolean owned =
        records
            .block(cidr)
            .filter(block -> owner.toString().equals(block.value().affinity()))
            .isPresent();
    return confirmed || !owned
        ? Optional.empty()
        : Optional.of(
            finding(
                IpamFinding.Type.BLOCK_WITHOUT_AFFINITY,
                cidr,
                owner,
                true,
                "it belongs to %s, which has no confirmed affinity for it: the host does not find it, and no route leads to it"
                    .formatted(owner)));
  }

  private static Optional<IpamFinding> checkPool(
      IpamInventory inventory, IpamBlock block, BlockEdit now) {
    Optional<Revisioned<IpPool>> pool =
        PoolChoice.containing(inventory.pools().all(), block.cidr().first());
    if (pool.isPresent() && pool.get().value().blockSize() == block.cidr().length()) {
      return Optional.empty();
    }
    boolean isEmpty = now.isEmpty();
    return Optional.of(
        finding(
            IpamFinding.Type.BLOCK_OUTSIDE_POOLS,
            block.cidr(),
            BlockOwner.parse(block.affinity()).orElse(null),
            isEmpty && block.affinity() != null,
            pool.map(
                        found ->
                            "pool %s has blocks of /%d: this one is from another pool"
                                .formatted(found.value().name(), found.value().blockSize()))
                    .orElse("no pool has its addresses: the pool was deleted")
                + (isEmpty
                    ? ", and nobody uses it"
                    : AddressLookup.inUse(block).isEmpty()
                        ? ", and its last addresses were released not long ago"
                        : ", and there are addresses in use")));
  }

  private static Optional<IpamFinding> checkQueue(IpamBlock block) {
    BlockEdit edit = new BlockEdit(block);
    edit.repairQueue();
    return edit.isChanged()
        ? Optional.of(
            finding(
                IpamFinding.Type.BROKEN_QUEUE,
                block.cidr(),
                null,
                true,
                "its queue of free addresses does not fit what is in use: it is %s"
                    .formatted(block.unallocated())))
        : Optional.empty();
  }
}

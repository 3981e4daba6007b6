package io.ocicat.ipam.block;

import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.cluster.StaleViewException;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.ipam.model.IpamException;
import io.ocicat.ipam.model.ReleaseRequest;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Releases addresses of a block and updates their handles' counts. Thread-safe. */
public final class BlockReleaser {
  private static final int GUESSES = 100;

  private final Blocks blocks;
  private final BlockWriter writer;

  public BlockReleaser(Blocks blocks, BlockWriter writer) {
    this.blocks = blocks;
    this.writer = writer;
  }

  /** The result of a release for one block. */
  public record Outcome(List<IpAddress> released, List<IpAddress> notAssigned) {}

  /** Releases addresses of one block, all or none. */
  public Outcome release(IpPrefix cidr, List<ReleaseRequest> releases) {
    // Only the block knows which handles own them; the cached block provides a guess, and when that
    // was wrong, the cached block was outdated and is read again.
    for (int i = 0; i < GUESSES; i++) {
      try {
        return release(cidr, releases, concerned(cidr, releases));
      } catch (StaleViewException _) {
        blocks.queue(cidr).update(null);
      }
    }
    throw Blocks.tooManyConflicts(cidr, GUESSES);
  }

  private Outcome release(IpPrefix cidr, List<ReleaseRequest> releases, Set<String> guess) {
    return writer.release(
        blocks.queue(cidr),
        guess,
        new BlockRequest<>(
            edit -> releaseFrom(edit, releases, guess),
            released -> released.notAssigned().isEmpty(),
            guess));
  }

  private Set<String> concerned(IpPrefix cidr, List<ReleaseRequest> releases) {
    BlockQueue queue = blocks.queue(cidr);
    IpamBlock block =
        queue
            .cached()
            .or(() -> queue.read().map(IpamRecords.Stored::value))
            .orElseThrow(() -> Blocks.noSuchBlock(cidr));
    return handlesOf(
        new BlockEdit(block),
        releases.stream().map(release -> BlockEdit.ordinal(cidr, release.address())).toList());
  }

  private static Set<String> handlesOf(BlockEdit edit, Collection<Integer> ordinals) {
    Set<String> handles = new TreeSet<>();
    for (int ordinal : ordinals) {
      IpamBlock.Attributes owner = edit.attributes(ordinal);
      if (owner != null && owner.handle() != null) {
        handles.add(CalicoConventions.sanitize(owner.handle()));
      }
    }
    return handles;
  }

  private static Outcome releaseFrom(
      BlockEdit edit, List<ReleaseRequest> releases, Set<String> guess) {
    TreeSet<Integer> ordinals = new TreeSet<>();
    Set<IpAddress> notAssigned = new TreeSet<>();
    for (ReleaseRequest release : releases) {
      int ordinal = BlockEdit.ordinal(edit.cidr(), release.address());
      if (mayRelease(edit, ordinal, release)) {
        ordinals.add(ordinal);
      } else {
        notAssigned.add(release.address());
      }
    }
    if (!guess.containsAll(handlesOf(edit, ordinals))) {
      throw new StaleViewException("other handles own these addresses");
    }
    List<IpAddress> released = edit.addresses(ordinals);
    // As in Calico: an address in cooldown has the sequence number of its release.
    ordinals.forEach(edit::reassign);
    edit.free(ordinals);
    return new Outcome(released, List.copyOf(notAssigned));
  }

  private static boolean mayRelease(BlockEdit edit, int ordinal, ReleaseRequest release) {
    Long sequence = release.sequenceNumber();
    if (sequence != null && sequence != edit.allocatedAt(ordinal)) {
      throw new IpamException(
          IpamException.Reason.BAD_SEQUENCE_NUMBER,
          "address %s is not released: it was assigned with sequence number %d, not %d, so it was reassigned since"
              .formatted(release.address(), edit.allocatedAt(ordinal), sequence));
    }
    IpamBlock.Attributes owner = edit.attributes(ordinal);
    if (owner == null || owner.isCoolingDown()) {
      return false;
    }
    String handle = release.handle();
    if (handle != null
        && !CalicoConventions.sanitize(handle)
            .equals(owner.handle() == null ? null : CalicoConventions.sanitize(owner.handle()))) {
      throw new IpamException(
          IpamException.Reason.BAD_HANDLE,
          "address %s is not released: it belongs to handle %s, not %s"
              .formatted(release.address(), owner.handle(), handle));
    }
    return true;
  }
}

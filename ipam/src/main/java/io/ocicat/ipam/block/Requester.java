package io.ocicat.ipam.block;

import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.Write;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.IpamException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who addresses are allocated for, and under which conditions.
 *
 * @param onlyOf the required owner of the block; null for any
 * @param mostPerHandle how many addresses of a family its handle may have; 0 for any number
 * @param pinned the handle that this limit was checked against; null when there is no limit
 * @param conditions what else the allocation depends on
 * @param counted the handle that both families of the request share; null when they share none
 */
public record Requester(
    IpamBlock.Attributes attributes,
    @Nullable BlockOwner onlyOf,
    int mostPerHandle,
    @Nullable Resource pinned,
    List<Write.Expect> conditions,
    @Nullable CountedHandle counted) {

  /** Checks that it may allocate from the block. */
  public void check(BlockEdit edit) {
    if (onlyOf != null && !onlyOf.toString().equals(edit.affinity())) {
      throw new IpamException(
          IpamException.Reason.STRICT_AFFINITY,
          "block %s belongs to %s, and with strict affinity only its owner may use it, not %s"
              .formatted(edit.cidr(), edit.affinity(), onlyOf));
    }
  }

  public Set<String> handles() {
    return attributes.handle() == null ? Set.of() : Set.of(attributes.handle());
  }
}

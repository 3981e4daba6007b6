package io.ocicat.ipam.block;

import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.Write;
import io.ocicat.ipam.cluster.StaleViewException;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A request to read or change one block.
 *
 * @param action reads the block and changes it; throws only before it has changed anything
 * @param satisfied whether a result from a cached block is accepted; otherwise the block is read
 * @param handles the handles whose counts may change
 * @param pinned the handle that the request depends on, as it was read; null for none
 * @param conditions what else the request depends on; when one of them has changed, it fails with a
 *     {@link StaleViewException}
 * @param counter counts what is about to be allocated; null when that is not necessary
 */
public record BlockRequest<R>(
    Function<BlockEdit, R> action,
    Predicate<R> satisfied,
    Set<String> handles,
    @Nullable Resource pinned,
    List<Write.Expect> conditions,
    @Nullable Counter<R> counter) {

  /** Called before each write of the block, in a datastore without transactions. */
  @FunctionalInterface
  public interface Counter<R> {
    /**
     * Counts what will be allocated.
     *
     * @param base the revision of the block that the write starts from
     * @throws RuntimeException when it cannot be allocated; the request fails with it
     */
    void count(String base, R allocated);
  }

  public BlockRequest(Function<BlockEdit, R> action, Predicate<R> satisfied, Set<String> handles) {
    this(action, satisfied, handles, null, List.of(), null);
  }

  BlockRequest<R> countedBy(Counter<R> by) {
    return new BlockRequest<>(action, satisfied, handles, pinned, conditions, by);
  }
}

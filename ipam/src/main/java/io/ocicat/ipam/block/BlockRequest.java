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
 * @param action looks at the block and changes it; throws only before it has changed anything
 * @param satisfied whether an answer may be believed that an old copy of the block gave; else the
 *     block is read first
 * @param handles whose numbers may change by this
 * @param pinned the handle as the caller has read it and relies on; null when it relies on nothing
 * @param conditions what the caller relies on beside the block; when one no longer holds, the
 *     answer is a {@link StaleViewException}
 * @param counter notes what the block is about to give; null when nobody has to
 */
public record BlockRequest<R>(
    Function<BlockEdit, R> action,
    Predicate<R> satisfied,
    Set<String> handles,
    @Nullable Resource pinned,
    List<Write.Expect> conditions,
    @Nullable Counter<R> counter) {

  /** Where each record is written for itself: called before each write of the block. */
  @FunctionalInterface
  public interface Counter<R> {
    /**
     * Notes what will be given, at least.
     *
     * @param base the revision of the block that the write starts from
     * @throws RuntimeException when that cannot be: the answer to the request
     */
    void count(String base, R given);
  }

  public BlockRequest(Function<BlockEdit, R> action, Predicate<R> satisfied, Set<String> handles) {
    this(action, satisfied, handles, null, List.of(), null);
  }

  public BlockRequest<R> countedBy(Counter<R> who) {
    return new BlockRequest<>(action, satisfied, handles, pinned, conditions, who);
  }
}

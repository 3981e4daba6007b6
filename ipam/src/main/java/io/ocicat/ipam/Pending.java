package io.ocicat.ipam;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A request that waits for its turn, and then its answer. Guarded by its queue's lock. */
final class Pending<R> {
  private final BlockRequest<R> request;
  private @Nullable R drafted;
  private @Nullable RuntimeException refused;
  private boolean done;
  private @Nullable BlockDraft written;
  private Set<String> deleted = Set.of();

  Pending(BlockRequest<R> request) {
    this.request = request;
  }

  BlockRequest<R> request() {
    return request;
  }

  /**
   * Does its part of a draft; the answer counts once the draft is written.
   *
   * @return whether an old copy of the block was good enough
   */
  boolean apply(BlockEdit edit) {
    drafted = null;
    refused = null;
    try {
      R result = request.action().apply(edit);
      drafted = result;
      return request.satisfied().test(result);
    } catch (IpamException | StaleViewException e) {
      refused = e;
      return false;
    }
  }

  /** It is done, as drafted. */
  void finish(BlockDraft draft) {
    finish(draft, Set.of());
  }

  /** It is done, as drafted, and the same write has deleted these handles. */
  void finish(BlockDraft draft, Set<String> deletedHandles) {
    written = draft;
    deleted = deletedHandles;
    done = true;
  }

  /** How many addresses a handle had of the block once this and all with it were served. */
  int count(String handle) {
    return written == null ? 0 : written.count(handle);
  }

  /** Whether the write that served this is known to have deleted the handle. */
  boolean hasDeleted(String handle) {
    return deleted.contains(handle);
  }

  void fail(RuntimeException reason) {
    refused = reason;
    done = true;
  }

  boolean isDone() {
    return done;
  }

  R answer() {
    if (refused != null) {
      throw refused;
    }
    R result = drafted;
    if (result == null) {
      throw new IllegalStateException("a request was not served");
    }
    return result;
  }
}

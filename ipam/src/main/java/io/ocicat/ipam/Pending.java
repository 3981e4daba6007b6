package io.ocicat.ipam;

import org.jspecify.annotations.Nullable;

/** A request that waits for its turn, and then its answer. Guarded by its queue's lock. */
final class Pending<R> {
  private final BlockRequest<R> request;
  private @Nullable R drafted;
  private @Nullable RuntimeException refused;
  private boolean done;

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

  void finish() {
    done = true;
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

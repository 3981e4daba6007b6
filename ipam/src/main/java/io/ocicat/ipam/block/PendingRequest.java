package io.ocicat.ipam.block;

import io.ocicat.ipam.cluster.StaleViewException;
import io.ocicat.ipam.model.IpamException;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A queued request and, later, its result. Until it is finished it is owned by the thread that
 * serves the queue; then it is immutable.
 */
final class PendingRequest<R> {
  private final BlockRequest<R> request;
  private final long readNumber;
  private final Thread waiter = Thread.currentThread();
  private @Nullable R drafted;
  private @Nullable RuntimeException refused;
  private volatile boolean done;
  private @Nullable BlockDraft written;
  private Set<String> deleted = Set.of();
  private boolean interrupted;

  /**
   * @param readNumber the number of the last datastore read when the request arrived
   */
  PendingRequest(BlockRequest<R> request, long readNumber) {
    this.request = request;
    this.readNumber = readNumber;
  }

  /** Whether that read began after this request arrived, so that it can answer it. */
  boolean cameBefore(long later) {
    return later > readNumber;
  }

  public BlockRequest<R> request() {
    return request;
  }

  /**
   * Applies the request to a draft; the result is valid once the draft is written.
   *
   * @return whether a cached block was good enough
   */
  public boolean apply(BlockEdit edit) {
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

  /** Whether its draft has to be counted before it is written. */
  boolean isCounted() {
    return request.counter() != null && drafted != null;
  }

  /**
   * Counts what was drafted; when that fails, so does the request.
   *
   * @param base the revision of the block that was drafted from
   * @return whether the request can still be served
   */
  boolean countDraft(String base) {
    BlockRequest.Counter<R> counter = request.counter();
    R allocated = drafted;
    try {
      if (counter != null && allocated != null) {
        counter.count(base, allocated);
      }
      return true;
    } catch (RuntimeException e) {
      fail(e);
      return false;
    }
  }

  /** It is done, as drafted. */
  public void finish(BlockDraft draft) {
    finish(draft, Set.of());
  }

  /** Finishes the request as drafted; the same write has deleted these handles. */
  public void finish(BlockDraft draft, Set<String> deletedHandles) {
    written = draft;
    deleted = deletedHandles;
    done = true;
    wake();
  }

  /** Waits until this request is finished or has its turn. May return spuriously. */
  public void await() {
    LockSupport.park(this);
    interrupted |= Thread.interrupted();
  }

  public void wake() {
    LockSupport.unpark(waiter);
  }

  /** How many addresses a handle had in the block after the batch of this request. */
  public int count(String handle) {
    return written == null ? 0 : written.count(handle);
  }

  /** Whether the write that served this is known to have deleted the handle. */
  boolean hasDeleted(String handle) {
    return deleted.contains(handle);
  }

  public void fail(RuntimeException reason) {
    refused = reason;
    done = true;
    wake();
  }

  public boolean isDone() {
    return done;
  }

  public R answer() {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
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

package io.ocicat.ipam.block;

import io.ocicat.ipam.cluster.StaleViewException;
import io.ocicat.ipam.model.IpamException;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A request that waits for its turn, and then its answer. Until it is done it belongs to whoever
 * serves the queue; then it does not change any more.
 */
public final class PendingRequest<R> {
  private final BlockRequest<R> request;
  private final long look;
  private final Thread waiter = Thread.currentThread();
  private @Nullable R drafted;
  private @Nullable RuntimeException refused;
  private volatile boolean done;
  private @Nullable BlockDraft written;
  private Set<String> deleted = Set.of();
  private boolean interrupted;

  /**
   * @param look the last look at the datastore when it came
   */
  public PendingRequest(BlockRequest<R> request, long look) {
    this.request = request;
    this.look = look;
  }

  /** Whether a look began after this came: then what it found is an answer. */
  public boolean cameBefore(long later) {
    return later > look;
  }

  public BlockRequest<R> request() {
    return request;
  }

  /**
   * Does its part of a draft; the answer counts once the draft is written.
   *
   * @return whether an old copy of the block was good enough
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

  /** Whether what was drafted for it has to be counted before it is written. */
  public boolean isCounted() {
    return request.counter() != null && drafted != null;
  }

  /**
   * Counts what was drafted; a failure is its answer.
   *
   * @param base the revision of the block that was drafted from
   * @return whether it is still to be served
   */
  public boolean countGiven(String base) {
    BlockRequest.Counter<R> counter = request.counter();
    R given = drafted;
    try {
      if (counter != null && given != null) {
        counter.count(base, given);
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

  /** It is done, as drafted, and the same write has deleted these handles. */
  public void finish(BlockDraft draft, Set<String> deletedHandles) {
    written = draft;
    deleted = deletedHandles;
    done = true;
    wake();
  }

  /** Waits until there may be something to do: it is done, or its turn. May end without either. */
  public void await() {
    LockSupport.park(this);
    interrupted |= Thread.interrupted();
  }

  public void wake() {
    LockSupport.unpark(waiter);
  }

  /** How many addresses a handle had of the block once this and all with it were served. */
  public int count(String handle) {
    return written == null ? 0 : written.count(handle);
  }

  /** Whether the write that served this is known to have deleted the handle. */
  public boolean hasDeleted(String handle) {
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

package io.ocicat.plugins.hostlocal;

import io.ocicat.base.Deadline;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.netlink.linux.Fd.FileId;
import java.time.Clock;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Caches the indexes of lease directories in a long-lived process, and queues the threads that use
 * one. Threads of this process wait here for each other, in order of arrival, so that at most one
 * of them waits for the file lock, which is polled.
 *
 * <p>Bounded: idle directories are dropped, least recently used first, when there are too many of
 * them or of their leases. Thread-safe.
 */
final class LeaseCache {
  private static final int MAX_DIRECTORIES = 64;
  private static final int MAX_LEASES = 100_000;

  /** Least recently used first. */
  private final Map<FileId, Slot> slots = new LinkedHashMap<>(16, 0.75f, true);

  private final Random random = new Random();
  private final Clock clock = Clock.systemUTC();
  private long total;

  private static final class Slot {
    private final ReentrantLock queue = new ReentrantLock(true);
    private final IndexedDirectory directory;
    private int users;
    private int leases;

    Slot(IndexedDirectory directory) {
      this.directory = directory;
    }
  }

  /** The exclusive right to use a directory within this process. */
  final class Turn implements AutoCloseable {
    private final Slot slot;

    private Turn(Slot slot) {
      this.slot = slot;
    }

    IndexedDirectory directory() {
      return slot.directory;
    }

    @Override
    public void close() {
      count(slot, slot.directory.size());
      slot.queue.unlock();
      leave(slot);
    }
  }

  /**
   * Waits for its turn.
   *
   * @throws CniException with code 11 when the deadline passes first
   */
  Turn await(FileId identity, Deadline deadline) {
    Slot slot = enter(identity);
    boolean taken = false;
    try {
      taken = slot.queue.tryLock(deadline.remaining().toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!taken) {
      leave(slot);
      throw new CniException(
              ErrorCode.TRY_AGAIN_LATER,
              "other calls for this network took too long",
              "%d of them wait in this process".formatted(slot.queue.getQueueLength()))
          .because(FailureReason.TIMED_OUT);
    }
    return new Turn(slot);
  }

  private synchronized Slot enter(FileId identity) {
    Slot slot = slots.computeIfAbsent(identity, _ -> new Slot(new IndexedDirectory(random, clock)));
    slot.users++;
    return slot;
  }

  private synchronized void count(Slot slot, int leases) {
    total += leases - slot.leases;
    slot.leases = leases;
  }

  private synchronized void leave(Slot left) {
    left.users--;
    Iterator<Slot> oldest = slots.values().iterator();
    while ((slots.size() > MAX_DIRECTORIES || total > MAX_LEASES) && oldest.hasNext()) {
      Slot slot = oldest.next();
      if (slot.users == 0 && slot != left) {
        oldest.remove();
        total -= slot.leases;
      }
    }
  }
}

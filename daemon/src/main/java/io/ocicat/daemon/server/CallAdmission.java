package io.ocicat.daemon.server;

import io.ocicat.base.Deadline;
import io.ocicat.cni.exec.Verb;
import java.util.PriorityQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a call may begin. The kernel creates links one after the other regardless of who
 * asks, so a few ADDs at a time are as fast as many and each is done sooner; those that wait are
 * ordered by their deadlines. A DEL mostly waits in the kernel, together with others, and never
 * waits here. Thread-safe.
 */
public final class CallAdmission {
  private final int most;
  private final ReentrantLock lock = new ReentrantLock();
  private final PriorityQueue<Waiting> waiting = new PriorityQueue<>();
  private int running;
  private long arrivals;

  private record Waiting(long deadlineNanos, long arrival, Condition turn)
      implements Comparable<Waiting> {
    @Override
    public int compareTo(Waiting other) {
      int byDeadline = Long.compare(deadlineNanos - other.deadlineNanos, 0);
      return byDeadline != 0 ? byDeadline : Long.compare(arrival, other.arrival);
    }
  }

  /** Lets at most this many calls that are not DEL run at once. */
  public CallAdmission(int most) {
    this.most = most;
  }

  /** Held while a call runs. */
  public interface Turn extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Waits for a turn.
   *
   * @return null when the deadline passed first
   */
  public @Nullable Turn enter(Verb verb, Deadline deadline) {
    if (verb == Verb.DEL) {
      return () -> {};
    }
    lock.lock();
    try {
      if (running < most && waiting.isEmpty()) {
        running++;
        return this::leave;
      }
      return await(deadline) ? this::leave : null;
    } finally {
      lock.unlock();
    }
  }

  private boolean await(Deadline deadline) {
    long limit = deadline.isNever() ? Long.MAX_VALUE / 4 : deadline.remaining().toNanos();
    Waiting me = new Waiting(System.nanoTime() + limit, arrivals++, lock.newCondition());
    waiting.add(me);
    try {
      long left = limit;
      while (running >= most || !me.equals(waiting.peek())) {
        if (left <= 0) {
          return false;
        }
        left = me.turn().awaitNanos(left);
      }
      running++;
      return true;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      waiting.remove(me);
      wakeNext();
    }
  }

  private void leave() {
    lock.lock();
    try {
      running--;
      wakeNext();
    } finally {
      lock.unlock();
    }
  }

  private void wakeNext() {
    Waiting next = waiting.peek();
    if (next != null && running < most) {
      next.turn().signal();
    }
  }

  public int waiting() {
    lock.lock();
    try {
      return waiting.size();
    } finally {
      lock.unlock();
    }
  }
}

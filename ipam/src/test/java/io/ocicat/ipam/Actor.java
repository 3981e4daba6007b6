package io.ocicat.ipam;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.passing.PassingDatastore;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A simulated process that runs step by step, from one datastore request of one of its threads to
 * the next, under the test's control: so that any interleaving of many can be produced, and
 * reproduced. Now and then it dies, or a response is lost.
 */
final class Actor {
  /** The death of the process, which no program can handle. */
  static final class Death extends Error {
    private static final long serialVersionUID = 1L;

    Death() {
      super("killed", null, false, false);
    }
  }

  private final SteppedThreads threads = new SteppedThreads();
  private final List<Thread> paused = new ArrayList<>();
  private final Random random;
  private final int trouble;
  private boolean working;
  private boolean dead;
  private @Nullable Throwable failure;

  /**
   * Creates a process.
   *
   * @param trouble something fails once in this many steps; 0 for never
   */
  Actor(Random random, int trouble) {
    this.random = random;
    this.trouble = trouble;
  }

  boolean isIdle() {
    return !working;
  }

  /** Begins; nothing happens before the first step. */
  void begin(Runnable work) {
    working = true;
    threads.start(
        () -> {
          try {
            work.run();
          } catch (Throwable e) {
            // A thread may see the death of another as any exception.
            failure = dead && !(e instanceof AssertionError) ? null : e;
          }
          working = false;
        });
  }

  /**
   * Runs until each of its threads has ended, waits, or is about to send a request.
   *
   * @return whether the process has died
   */
  boolean step() {
    if (!paused.isEmpty()) {
      resume(random.nextInt(paused.size()));
    }
    threads.run();
    while (working && paused.isEmpty()) {
      threads.await();
      threads.run();
    }
    boolean died = dead;
    if (died) {
      end();
    }
    Throwable failed = failure;
    if (failed != null) {
      throw new AssertionError(failed.toString(), failed);
    }
    return died;
  }

  /** Ends the process with all of its threads; the next task runs in a new one. */
  void end() {
    dead = true;
    threads.run();
    while (working || !paused.isEmpty()) {
      if (paused.isEmpty()) {
        threads.await();
      } else {
        resume(0);
      }
      threads.run();
    }
    dead = false;
  }

  private void resume(int index) {
    LockSupport.unpark(paused.remove(index));
  }

  private void pause() {
    Thread current = Thread.currentThread();
    if (!dead) {
      paused.add(current);
    }
    while (paused.contains(current)) {
      LockSupport.park(this);
    }
    if (dead) {
      throw new Death();
    }
  }

  /** Dies: from now on, no thread of it reaches the datastore. */
  private Death die() {
    dead = true;
    return new Death();
  }

  private boolean happens() {
    return trouble > 0 && random.nextInt(trouble) == 0;
  }

  /** The datastore as this process sees it. */
  Datastore see(Datastore datastore) {
    return new PassingDatastore(datastore) {
      @Override
      protected void reading() {
        pause();
        if (happens()) {
          if (random.nextBoolean()) {
            throw die();
          }
          throw new UnavailableException("not reachable", null);
        }
      }

      @Override
      protected <T> T writing(Supplier<T> write) {
        pause();
        if (!happens()) {
          return write.get();
        }
        switch (random.nextInt(5)) {
          case 0 -> throw die();
          case 1 -> {
            var _ = write.get();
            throw die();
          }
          case 2 -> throw new UnavailableException("not reachable", null);
          case 3 -> throw UnavailableException.outcomeUnknown("not sent", null);
          default -> {
            var _ = write.get();
            throw UnavailableException.outcomeUnknown("answer lost", null);
          }
        }
      }
    };
  }
}

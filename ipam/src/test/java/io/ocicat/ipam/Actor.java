package io.ocicat.ipam;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.passing.PassingDatastore;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A simulated process that runs step by step, from one datastore request to the next, under the
 * test's control: so that any interleaving of many can be produced, and reproduced. Now and then it
 * dies, or a response is lost.
 */
final class Actor {
  /** The death of the process, which no program can handle. */
  static final class Death extends Error {
    private static final long serialVersionUID = 1L;

    Death() {
      super("killed", null, false, false);
    }
  }

  private final Semaphore go = new Semaphore(0);
  private final Semaphore back = new Semaphore(0);
  private final Random random;
  private final int trouble;
  private @Nullable Runnable task;
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
    return task == null;
  }

  /** Begins; nothing happens before the first step. */
  void begin(Runnable work) {
    task = work;
    Thread.ofVirtual()
        .start(
            () -> {
              go.acquireUninterruptibly();
              try {
                work.run();
              } catch (Throwable e) {
                failure = e;
              }
              task = null;
              back.release();
            });
  }

  /** Runs to the next datastore request, or to the end. */
  void step() {
    go.release();
    back.acquireUninterruptibly();
    Throwable failed = failure;
    if (failed != null) {
      failure = null;
      throw new AssertionError(failed.toString(), failed);
    }
  }

  private void pause() {
    back.release();
    go.acquireUninterruptibly();
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
            throw new Death();
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
          case 0 -> throw new Death();
          case 1 -> {
            var _ = write.get();
            throw new Death();
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

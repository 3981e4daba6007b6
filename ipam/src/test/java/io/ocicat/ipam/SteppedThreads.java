package io.ocicat.ipam;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Virtual threads that run only inside {@link #run}, one at a time, on the thread that calls it:
 * their order depends on nothing but the program. Threads started by such a thread belong to it as
 * well.
 *
 * <p>Java has no public way to choose the scheduler of virtual threads, so this needs {@code
 * --add-opens java.base/java.lang=ALL-UNNAMED}. A thread that waits for a contended monitor is
 * resumed by the virtual machine at some later time; code that is to be reproducible holds locks
 * instead.
 */
final class SteppedThreads {
  private static final int HANGS_AFTER_SECONDS = 60;
  private static final Method NEW_THREAD = newThread();

  private final LinkedBlockingQueue<Runnable> runnable = new LinkedBlockingQueue<>();

  private static Method newThread() {
    try {
      Method method =
          Class.forName("java.lang.ThreadBuilders")
              .getDeclaredMethod(
                  "newVirtualThread", Executor.class, String.class, int.class, Runnable.class);
      method.setAccessible(true);
      return method;
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("this Java creates virtual threads in another way", e);
    }
  }

  /** Starts a thread; it begins in the next {@link #run}. */
  void start(Runnable task) {
    try {
      Executor scheduler = runnable::add;
      ((Thread) NEW_THREAD.invoke(null, scheduler, "stepped", 0, task)).start();
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new LinkageError("cannot create a virtual thread with a scheduler", e);
    }
  }

  /** Runs all threads until each has ended or waits. */
  void run() {
    for (Runnable next = runnable.poll(); next != null; next = runnable.poll()) {
      next.run();
    }
  }

  /**
   * Waits until a thread can run: one that waited for a monitor, as no other is left to wake it.
   */
  void await() {
    try {
      Runnable next = runnable.poll(HANGS_AFTER_SECONDS, TimeUnit.SECONDS);
      if (next == null) {
        throw new AssertionError("all threads of the process wait for each other");
      }
      next.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}

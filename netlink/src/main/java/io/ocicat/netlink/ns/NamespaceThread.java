package io.ocicat.netlink.ns;

import io.ocicat.netlink.NetlinkException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The only threads that change their network namespace. All are platform threads: a virtual
 * thread's carrier would take others along.
 */
final class NamespaceThread {
  /** Where borrowed threads go between errands: the namespace the process was started in. */
  private static final NetNs HOME = NetNs.open(java.nio.file.Path.of("/proc/self/ns/net"));

  private static final ExecutorService BORROWED =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          10,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          Thread.ofPlatform()
              .daemon()
              .name("netns-visit-", 0)
              .uncaughtExceptionHandler((thread, retired) -> {})
              .factory());

  private NamespaceThread() {}

  /** Runs a short errand on a pooled thread that goes home afterwards. */
  static <T> T visit(NetNs namespace, Supplier<T> errand) {
    FutureTask<T> visit =
        new FutureTask<>(
            () -> {
              namespace.enter();
              return errand.get();
            });
    BORROWED.execute(
        () -> {
          visit.run();
          goHome();
        });
    try {
      return await(visit);
    } catch (ExecutionException e) {
      throw unchecked(e);
    }
  }

  /** Runs code on a new thread that ends with it. */
  static <T> T start(String role, Callable<T> code) throws Exception {
    FutureTask<T> task = new FutureTask<>(code);
    Thread.ofPlatform().daemon().name(role).start(task);
    try {
      return await(task);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw unchecked(e);
    }
  }

  /** The same for code that throws nothing checked. */
  static <T> T startUnchecked(String role, Supplier<T> code) {
    FutureTask<T> task = new FutureTask<>(code::get);
    Thread.ofPlatform().daemon().name(role).start(task);
    try {
      return await(task);
    } catch (ExecutionException e) {
      throw unchecked(e);
    }
  }

  /**
   * A thread that may not go home (in a user namespace the machine's own network is out of reach)
   * retires: the pool replaces threads that end with an exception.
   */
  private static void goHome() {
    HOME.enter();
  }

  /**
   * Waits to the end even when interrupted: the thread inside holds on to the result, and a
   * descriptor in it would leak.
   */
  private static <T> T await(FutureTask<T> task) throws ExecutionException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static RuntimeException unchecked(ExecutionException e) {
    return switch (e.getCause()) {
      case NetlinkException failure -> failure;
      case RuntimeException failure -> failure;
      case Error error -> throw error;
      case null, default -> new IllegalStateException(e.getCause());
    };
  }
}

package io.ocicat.netlink.ns;

import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs code in other network namespaces by moving threads there. Only platform threads can move: a
 * virtual thread's carrier would take others along.
 *
 * <p>A short visit is made by the calling thread itself when that is a platform thread, because
 * switching threads costs more than everything else in opening a socket. For virtual threads a
 * pooled thread goes instead. Where a thread may enter but not return (in a user namespace the
 * machine's own network is out of reach), each visit has a thread that ends with it.
 */
final class NamespaceThread {
  private static final ExecutorService POOL =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          10,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          Thread.ofPlatform().daemon().name("netns-visit-", 0).factory());

  /**
   * Determined at the first visit, and again if that fails: without free descriptors, a static
   * initialiser would fail for the life of the process.
   */
  private static volatile @Nullable Home home;

  /**
   * The namespace that threads are usually in. Asking a thread each time where it is costs as much
   * as the visit.
   *
   * @param returning whether a thread that left can come back
   */
  private record Home(NetNs namespace, boolean returning) {}

  /** Whether a thread is at {@link #home} now; null until it was checked. */
  private static final ThreadLocal<@Nullable Boolean> IS_HOME = new ThreadLocal<>();

  /** Temporary errors, which say nothing about what threads may do. */
  private static final Set<Errno> SHORTAGE = Set.of(Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM);

  private NamespaceThread() {}

  static <T> T visit(NetNs namespace, Supplier<T> errand) {
    Home home = home();
    return home.returning() && !Thread.currentThread().isVirtual()
        ? goAndReturn(home.namespace(), namespace, errand, isHome(home.namespace()))
        : send(home, namespace, errand);
  }

  private static Home home() {
    Home known = home;
    return known != null ? known : findHome();
  }

  private static synchronized Home findHome() {
    Home known = home;
    if (known == null) {
      boolean returning = startUnchecked("netns-probe", NamespaceThread::canReturn);
      known = new Home(NetNs.current(), returning);
      home = known;
    }
    return known;
  }

  /** Tries once, on a throwaway thread. */
  private static boolean canReturn() {
    try (NetNs start = NetNs.current()) {
      NetNs.unshare();
      start.enter();
      return true;
    } catch (NetlinkException e) {
      if (SHORTAGE.stream().anyMatch(e::is)) {
        throw e;
      }
      return false;
    }
  }

  /**
   * Runs code on a new thread that ends with it. The caller waits for the end of the thread, not
   * for a result that the thread hands over while it is still inside: waking up a virtual thread
   * may start a new carrier, which would inherit the namespace and keep it.
   */
  static <T> T start(String role, Callable<T> code) throws Exception {
    FutureTask<T> task = new FutureTask<>(code);
    join(Thread.ofPlatform().daemon().name(role).start(task));
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
    join(Thread.ofPlatform().daemon().name(role).start(task));
    try {
      return await(task);
    } catch (ExecutionException e) {
      throw unchecked(e);
    }
  }

  private static <T> T goAndReturn(
      NetNs home, NetNs namespace, Supplier<T> errand, boolean isHome) {
    if (!isHome) {
      try (NetNs start = NetNs.current()) {
        return goAndReturn(start, namespace, errand);
      }
    }
    // Only inside is it known where to return to: a visit may continue to a third namespace.
    IS_HOME.set(false);
    try {
      T result = goAndReturn(home, namespace, errand);
      IS_HOME.set(true);
      return result;
    } catch (RuntimeException e) {
      IS_HOME.remove();
      throw e;
    }
  }

  private static boolean isHome(NetNs home) {
    Boolean known = IS_HOME.get();
    if (known == null) {
      try (NetNs here = NetNs.current()) {
        known = here.id().equals(home.id());
      }
      IS_HOME.set(known);
    }
    return known;
  }

  private static <T> T goAndReturn(NetNs start, NetNs namespace, Supplier<T> errand) {
    namespace.enter();
    try {
      return errand.get();
    } finally {
      start.enter();
    }
  }

  private static <T> T send(Home home, NetNs namespace, Supplier<T> errand) {
    if (!home.returning()) {
      return startUnchecked(
          "netns-visit",
          () -> {
            namespace.enter();
            return errand.get();
          });
    }
    // Done only when the thread is back, for the reason given at start.
    FutureTask<T> visit =
        new FutureTask<>(
            () -> {
              try (NetNs start = NetNs.current()) {
                return goAndReturn(start, namespace, errand);
              }
            });
    POOL.execute(visit);
    try {
      return await(visit);
    } catch (ExecutionException e) {
      throw unchecked(e);
    }
  }

  /**
   * Waits to the end even when interrupted: the thread inside holds the result, and a descriptor in
   * it would leak.
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

  private static void join(Thread thread) {
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
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

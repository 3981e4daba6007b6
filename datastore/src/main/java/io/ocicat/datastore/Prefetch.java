package io.ocicat.datastore;

import io.ocicat.datastore.error.UnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/**
 * A read that is started before its result is needed, on a virtual thread of its own, so that
 * several independent reads take as long as the slowest of them. One that is not waited for runs to
 * its end, so writes must be run by {@link #all}. Thread-safe; the requests are reported to the
 * {@link RequestListener} of the first thread that waits.
 */
public final class Prefetch<T> {
  private final FutureTask<T> answer;
  private final List<DatastoreRequest> requests = new CopyOnWriteArrayList<>();

  private Prefetch(Supplier<T> read) {
    this.answer =
        new FutureTask<>(
            () -> ScopedValue.where(RequestListener.CURRENT, requests::add).call(() -> read.get()));
  }

  public static <T> Prefetch<T> start(Supplier<T> read) {
    Prefetch<T> prefetch = new Prefetch<>(read);
    Thread.ofVirtual().name("datastore-ahead").start(prefetch.answer);
    return prefetch;
  }

  /** Runs only when the result is needed: for reads that are cheaper than another thread. */
  public static <T> Prefetch<T> whenNeeded(Supplier<T> read) {
    return new Prefetch<>(read);
  }

  /**
   * Runs several tasks concurrently, the first of them on this thread, and waits until all have
   * ended, even when interrupted.
   *
   * @throws RuntimeException the failure of the first task that failed, in this order; the others'
   *     are suppressed in it
   */
  public static <T> List<T> all(List<Supplier<T>> work) {
    List<Prefetch<T>> begun = new ArrayList<>();
    for (int i = 0; i < work.size(); i++) {
      begun.add(i == 0 ? whenNeeded(work.get(i)) : start(work.get(i)));
    }
    boolean interrupted = false;
    for (Prefetch<T> one : begun) {
      interrupted |= one.awaitEnd();
    }
    List<T> answers = new ArrayList<>();
    List<RuntimeException> failures = new ArrayList<>();
    for (Prefetch<T> one : begun) {
      try {
        answers.add(one.get());
      } catch (RuntimeException e) {
        failures.add(e);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (!failures.isEmpty()) {
      RuntimeException first = failures.removeFirst();
      failures.stream().filter(e -> !e.equals(first)).forEach(first::addSuppressed);
      throw first;
    }
    return answers;
  }

  /** Returns whether this thread was interrupted in the meantime. */
  private boolean awaitEnd() {
    boolean interrupted = false;
    answer.run();
    while (true) {
      try {
        answer.get();
        return interrupted;
      } catch (ExecutionException _) {
        return interrupted;
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
  }

  /**
   * Waits for the answer.
   *
   * @throws RuntimeException whatever the read threw
   */
  public T get() {
    // Does nothing when it was started already.
    answer.run();
    try {
      return answer.get();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException failure -> throw failure;
        case Error error -> throw error;
        case null, default -> throw new IllegalStateException(e);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("interrupted while waiting for the datastore", e);
    } finally {
      reportRequests();
    }
  }

  private synchronized void reportRequests() {
    requests.forEach(RequestListener::report);
    requests.clear();
  }
}

package io.ocicat.datastore;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/**
 * A question put to a datastore before its answer is needed, on a virtual thread of its own:
 * several questions that do not depend on each other then take as long as the slowest of them. For
 * questions only; nobody ends one that is not waited for.
 *
 * <p>Asked and waited for by the same thread.
 */
public final class Ahead<T> {
  private final FutureTask<T> answer;
  private final List<DatastoreRequest> requests = new CopyOnWriteArrayList<>();

  private Ahead(Supplier<T> question) {
    this.answer =
        new FutureTask<>(
            () ->
                ScopedValue.where(RequestListener.CURRENT, requests::add)
                    .call(() -> question.get()));
  }

  public static <T> Ahead<T> ask(Supplier<T> question) {
    Ahead<T> ahead = new Ahead<>(question);
    Thread.ofVirtual().name("datastore-ahead").start(ahead.answer);
    return ahead;
  }

  /** Asks only when somebody waits for the answer: for what is nearer than another thread. */
  public static <T> Ahead<T> whenNeeded(Supplier<T> question) {
    return new Ahead<>(question);
  }

  /**
   * Waits for the answer.
   *
   * @throws RuntimeException whatever the question ended with
   */
  public T get() {
    // Does nothing when it was begun.
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
      requests.forEach(RequestListener::tell);
      requests.clear();
    }
  }
}

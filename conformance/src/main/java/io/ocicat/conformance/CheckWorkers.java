package io.ocicat.conformance;

import io.ocicat.conformance.subject.ConformanceException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

/**
 * Worker threads that go through a list of checks. Closing stops checks in progress and waits for
 * their end, so that cleanup never runs while a check does.
 */
final class CheckWorkers implements AutoCloseable {
  private final ExecutorService threads;

  CheckWorkers(int count) {
    threads =
        Executors.newFixedThreadPool(
            count, Thread.ofPlatform().daemon().name("conformance-", 1).factory());
  }

  <T, R> List<Future<R>> startAll(List<T> tasks, Function<T, R> work) {
    return tasks.stream().map(task -> threads.submit(() -> work.apply(task))).toList();
  }

  <R> R await(Future<R> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ConformanceException("interrupted", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new ConformanceException("a check could not be run: " + e.getCause(), e);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
    threads.close();
  }
}

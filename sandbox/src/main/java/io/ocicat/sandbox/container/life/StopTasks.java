package io.ocicat.sandbox.container.life;

import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.StopSignal;
import io.ocicat.sandbox.container.life.StoredContainer.Phase;
import io.ocicat.sandbox.files.KeyedLocks;
import io.ocicat.sandbox.trace.PodTrace;
import io.ocicat.sandbox.trace.StepKind;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Stops containers in the background, one task for each: a caller whose deadline passes leaves, and
 * the container is stopped nevertheless. Callers that come while a task runs join it and can only
 * shorten its grace period. The lock of the container is not held during that, so that it can be
 * killed and removed meanwhile. Thread-safe.
 */
final class StopTasks {
  private static final long SHORTEST_PAUSE = 1_000_000;
  private static final long LONGEST_PAUSE = 20_000_000;

  private final ContainerContext context;
  private final Map<String, Task> tasks = new ConcurrentHashMap<>();

  /** The end of the grace period is a time of {@link System#nanoTime}. */
  private record Task(AtomicLong graceEnd, CompletableFuture<Boolean> done) {}

  StopTasks(ContainerContext context) {
    this.context = context;
  }

  void stop(String id, Duration timeout) {
    long graceEnd = System.nanoTime() + Math.max(0, timeout.toNanos());
    Task created = new Task(new AtomicLong(graceEnd), new CompletableFuture<>());
    Task task = tasks.putIfAbsent(id, created);
    if (task == null) {
      task = created;
      Thread.ofVirtual().name("stop " + id).start(() -> run(id, created, timeout));
    } else {
      task.graceEnd().accumulateAndGet(graceEnd, (a, b) -> a - b < 0 ? a : b);
    }
    try {
      task.done().get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof SandboxException known
          ? new SandboxException(known.reason(), SandboxException.text(known), e)
          : new SandboxException(Reason.FAILED, SandboxException.text(e), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandboxException(
          Reason.DEADLINE, "container %s is still being stopped".formatted(id), e);
    }
  }

  private void run(String id, Task task, Duration timeout) {
    try {
      context.traced(
          () -> {
            if (timeout.isPositive() && signal(id)) {
              awaitEnd(id, task);
            }
            kill(id);
            return id;
          });
      tasks.remove(id);
      task.done().complete(true);
    } catch (RuntimeException e) {
      tasks.remove(id);
      task.done().completeExceptionally(e);
    }
  }

  /** Returns whether there is something to wait for. */
  private boolean signal(String id) {
    try (KeyedLocks.Held _ = context.lock(id)) {
      Optional<StoredContainer> record = context.store().get(id);
      if (record.isEmpty() || record.get().phase() != Phase.RUNNING) {
        return false;
      }
      StoredContainer running = record.get();
      if (!context.isAlive(running)) {
        return false;
      }
      int number = StopSignal.parse(running.stopSignal()).orElse(StopSignal.TERM);
      PodTrace.step(
          StepKind.CONTAINER,
          "signal %s with %d".formatted(id, number),
          () -> running.process().signal(number));
      return true;
    }
  }

  private void awaitEnd(String id, Task task) {
    long pause = SHORTEST_PAUSE;
    Optional<StoredContainer> record = context.store().get(id);
    while (record.isPresent()
        && context.isAlive(record.get())
        && System.nanoTime() - task.graceEnd().get() < 0) {
      LockSupport.parkNanos(pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    }
  }

  private void kill(String id) {
    try (KeyedLocks.Held _ = context.lock(id)) {
      Optional<StoredContainer> record = context.store().get(id);
      if (record.isPresent() && record.get().phase() != Phase.CREATING) {
        ContainerEnd end = new ContainerEnd(context, record.get());
        if (!context.isAlive(record.get())) {
          end.awaitReport();
        }
        end.kill();
      }
    }
  }
}

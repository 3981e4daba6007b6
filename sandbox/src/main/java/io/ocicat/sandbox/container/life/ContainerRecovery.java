package io.ocicat.sandbox.container.life;

import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.container.life.StoredContainer.Phase;
import io.ocicat.sandbox.files.KeyedLocks;
import io.ocicat.sandbox.trace.PodTrace;
import io.ocicat.sandbox.trace.StepKind;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Makes records true again after this or another process was killed: containers whose id was never
 * returned are removed, those that ended meanwhile have exited, the others are adopted as they are.
 * Containers that others are working on right now are locked, and left alone.
 */
final class ContainerRecovery {
  private final ContainerContext context;
  private final List<String> failures = new ArrayList<>();

  ContainerRecovery(ContainerContext context) {
    this.context = context;
  }

  /** Returns what failed, one line each. */
  List<String> run() {
    Set<String> all = new LinkedHashSet<>(context.store().ids());
    all.addAll(context.conmon().bundled());
    for (String id : all) {
      Optional<KeyedLocks.Held> lock = context.locks().tryHold(id);
      if (lock.isEmpty()) {
        continue;
      }
      try (KeyedLocks.Held _ = lock.get()) {
        PodTrace.step(StepKind.ROLLBACK, "recover " + id, () -> recover(id));
      } catch (RuntimeException e) {
        failures.add("container %s: %s".formatted(id, SandboxException.text(e)));
      }
    }
    context.execs().recover();
    return failures;
  }

  private void recover(String id) {
    Optional<StoredContainer> found = context.readable(id);
    if (found.isEmpty()) {
      // Also when its record is damaged: nobody knows whose it is, and its owner creates another.
      removeOrphan(id);
      return;
    }
    StoredContainer record = found.get();
    switch (record.phase()) {
      case CREATING -> new ContainerEnd(context, record).removeUnfinished();
      case CREATED, RUNNING -> settle(record);
      case STARTING -> adopt(record);
      case EXITED -> new ContainerEnd(context, record).release();
    }
  }

  private void settle(StoredContainer record) {
    if (!context.isAlive(record)) {
      new ContainerEnd(context, record).awaitReport();
    }
  }

  /** The runtime knows whether it started the container before we were killed. */
  private void adopt(StoredContainer record) {
    if (!context.isAlive(record)) {
      settle(record.running(context.now()));
    } else if (context.runtime().state(record.id()).equals("created")) {
      context.store().put(record.phase(Phase.CREATED));
    } else {
      context.store().put(record.running(context.now()));
    }
  }

  /** Removes what is left of a container without a readable record. */
  void removeOrphan(String id) {
    context.conmon().endProcessesOf(id);
    ContainerContext.allOf(
        () -> context.runtime().delete(id),
        () -> context.rootfs().remove(id),
        () -> context.conmon().forget(id));
    context.store().remove(id);
  }
}

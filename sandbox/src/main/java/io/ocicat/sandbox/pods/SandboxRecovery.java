package io.ocicat.sandbox.pods;

import io.ocicat.sandbox.PodMetadata;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.files.KeyedLocks;
import io.ocicat.sandbox.infra.PodInfra;
import io.ocicat.sandbox.infra.ProcessId;
import io.ocicat.sandbox.store.Checkpoint;
import io.ocicat.sandbox.store.SandboxRecord;
import io.ocicat.sandbox.trace.PodTrace;
import io.ocicat.sandbox.trace.StepKind;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Cleans up after killed processes: sandboxes whose id was never returned, and whatever has an id
 * without a record. Sandboxes that others are creating right now are locked, and left alone.
 */
final class SandboxRecovery {
  private final SandboxContext context;
  private final List<String> failures = new ArrayList<>();

  SandboxRecovery(SandboxContext context) {
    this.context = context;
  }

  /** Only unfinished sandboxes; costs next to nothing when there are none. Returns what failed. */
  List<String> unfinished() {
    for (String id : context.store().begun()) {
      attempt(id);
    }
    return failures;
  }

  /** Cleans up everything. */
  List<String> all() {
    unfinished();
    Set<String> orphans = new LinkedHashSet<>();
    context.store().ids().stream().filter(id -> !context.store().exists(id)).forEach(orphans::add);
    for (String name : context.namespaces().list()) {
      if (name.startsWith(SandboxContext.netnsName(""))) {
        String id = name.substring(SandboxContext.netnsName("").length());
        if (context.store().isId(id) && !context.store().exists(id)) {
          orphans.add(id);
        }
      }
    }
    context.sharedMemory().ids().stream()
        .filter(id -> context.store().isId(id) && !context.store().exists(id))
        .forEach(orphans::add);
    orphans.forEach(this::attempt);
    context.containers().ifPresent(all -> failures.addAll(all.recover()));
    return failures;
  }

  private void attempt(String id) {
    Optional<KeyedLocks.Held> lock = context.sandboxLocks().tryHold(id);
    if (lock.isEmpty()) {
      return;
    }
    try (KeyedLocks.Held _ = lock.get()) {
      PodTrace.step(StepKind.ROLLBACK, "clean up " + id, () -> cleanUp(id));
    } catch (RuntimeException e) {
      failures.add("sandbox %s: %s".formatted(id, SandboxException.text(e)));
    }
  }

  /** Removes a sandbox that was unfinished, or has no record. */
  private void cleanUp(String id) {
    Optional<SandboxRecord> record = context.store().get(id);
    if (record.isEmpty()) {
      removeOrphan(id);
      context.store().nameOfBegun(id).ifPresent(pod -> release(pod, id));
    } else if (record.get().phase() != SandboxRecord.Phase.READY) {
      // Also when it was stopped: then a recovery was killed in the middle of this.
      new StopSandbox(context, record.get(), context.settings().cleanUpLimit()).remove();
    }
    context.store().unmarkBegun(id);
  }

  /** A process that was killed right after it reserved the name has written nothing else. */
  private void release(PodMetadata pod, String id) {
    try (KeyedLocks.Held _ = context.nameLocks().hold(pod.podKey(), context.settings().timeout())) {
      context.store().release(pod, id);
    }
  }

  /** Removes a sandbox of which only a checkpoint and libcni's cache may be left. */
  void removeOrphan(String id) {
    Optional<Checkpoint> checkpoint = context.store().checkpoints().getOrDiscard(id);
    context.containers().ifPresent(all -> all.removeAll(id));
    for (PodInfra infra : context.settings().infras()) {
      infra.remove(id, ProcessId.NONE, context.settings().grace());
    }
    NetnsProcesses.of(context.namespaces().pathOf(SandboxContext.netnsName(id)))
        .forEach(process -> process.end(context.settings().grace(), false));
    if (!checkpoint.map(Checkpoint::hostNetwork).orElse(false)) {
      PodMetadata pod =
          new PodMetadata(
              checkpoint.map(Checkpoint::name).orElse(id),
              checkpoint.map(Checkpoint::namespace).orElse(""),
              "",
              0);
      context.networks().tearDownCached(pod, id, context.settings().cleanUpLimit());
    }
    context.namespaces().remove(SandboxContext.netnsName(id));
    context.sharedMemory().remove(id);
    context.store().checkpoints().remove(id);
    context.store().remove(id);
  }
}

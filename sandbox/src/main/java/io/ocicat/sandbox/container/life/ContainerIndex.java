package io.ocicat.sandbox.container.life;

import io.ocicat.base.Quoted;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.life.StoredContainer.Phase;
import io.ocicat.sandbox.files.KeyedLocks;
import java.util.List;
import java.util.Optional;

/** Finds containers and their current records. Thread-safe. */
record ContainerIndex(ContainerContext context) {
  StoredContainer find(String prefix) {
    return resolve(prefix)
        .flatMap(id -> context.store().get(id))
        .filter(record -> record.phase() != Phase.CREATING)
        .orElseThrow(() -> unknown(prefix));
  }

  Optional<String> resolve(String prefix) {
    if (prefix.isEmpty()) {
      throw new SandboxException(Reason.INVALID, "the id of a container is missing");
    }
    List<String> ids = context.store().ids();
    if (ids.contains(prefix)) {
      return Optional.of(prefix);
    }
    List<String> matching = ids.stream().filter(id -> id.startsWith(prefix)).toList();
    if (matching.size() > 1) {
      throw new SandboxException(
          Reason.AMBIGUOUS,
          "%d containers have an id that begins with %s: use a longer prefix"
              .formatted(matching.size(), Quoted.brief(prefix)));
    }
    return matching.stream().findFirst();
  }

  List<StoredContainer> records(String sandboxId) {
    return context.store().ids().stream()
        .flatMap(id -> context.readable(id).stream())
        .filter(record -> record.sandboxId().equals(sandboxId))
        .toList();
  }

  /**
   * Returns the record as it should be: a process that is gone has exited, whoever noticed. Never
   * waits: while others work on the container, what they recorded last counts.
   */
  StoredContainer settled(StoredContainer record) {
    if (record.phase() == Phase.EXITED || context.isAlive(record)) {
      return record;
    }
    Optional<KeyedLocks.Held> lock = context.locks().tryHold(record.id());
    if (lock.isEmpty()) {
      return record;
    }
    try (KeyedLocks.Held _ = lock.get()) {
      return context.traced(
          () -> {
            StoredContainer now = context.store().get(record.id()).orElse(record);
            if (now.phase() == Phase.CREATING || now.phase() == Phase.STARTING) {
              return now;
            }
            ContainerEnd end = new ContainerEnd(context, now);
            end.settle();
            return end.record();
          });
    }
  }

  /** The record of a container that must run. */
  StoredContainer running(String prefix, String what) {
    StoredContainer record = settled(find(prefix));
    if (record.phase() != Phase.RUNNING) {
      throw new SandboxException(
          Reason.NOT_READY,
          "cannot %s container %s: it is %s, not running"
              .formatted(what, Quoted.brief(prefix), record.state()));
    }
    return record;
  }

  static SandboxException unknown(String id) {
    return new SandboxException(
        Reason.NOT_FOUND, "there is no container %s".formatted(Quoted.brief(id)));
  }
}

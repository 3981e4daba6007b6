package io.ocicat.sandbox.container.life;

import io.ocicat.base.BootId;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.container.ContainerEvent;
import io.ocicat.sandbox.container.ContainerEvents;
import io.ocicat.sandbox.container.ContainerSettings;
import io.ocicat.sandbox.container.RootFilesystems;
import io.ocicat.sandbox.container.conmon.Conmon;
import io.ocicat.sandbox.container.conmon.ExecSessions;
import io.ocicat.sandbox.container.conmon.OciRuntime;
import io.ocicat.sandbox.files.KeyedLocks;
import io.ocicat.sandbox.files.StateFiles;
import io.ocicat.sandbox.trace.PodTrace;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

/** The dependencies that operations on containers share. Thread-safe. */
record ContainerContext(
    ContainerSettings settings,
    RootFilesystems rootfs,
    ContainerStore store,
    OciRuntime runtime,
    Conmon conmon,
    ExecSessions execs,
    KeyedLocks locks,
    ContainerEvents events,
    String bootId) {

  static ContainerContext of(ContainerSettings settings, RootFilesystems rootfs) {
    StateFiles.privateFolder(settings.run());
    OciRuntime runtime = new OciRuntime(settings);
    Conmon conmon = new Conmon(settings, runtime);
    return new ContainerContext(
        settings,
        rootfs,
        new ContainerStore(StateFiles.privateFolder(settings.state())),
        runtime,
        conmon,
        new ExecSessions(settings, conmon, runtime),
        new KeyedLocks(settings.run().resolve("containers.lock"), "container"),
        new ContainerEvents(),
        BootId.current().toString());
  }

  /** Nanoseconds since 1970. */
  long now() {
    Instant instant = settings.clock().instant();
    return Math.addExact(
        Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L), instant.getNano());
  }

  KeyedLocks.Held lock(String id) {
    return locks.hold(id, settings.timeout());
  }

  /** The record of a container; empty when it has none or a damaged one. */
  Optional<StoredContainer> readable(String id) {
    try {
      return store.get(id);
    } catch (SandboxException e) {
      if (e.reason() == SandboxException.Reason.CORRUPT) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Whether its first process runs, or waits to be started. */
  boolean isAlive(StoredContainer record) {
    return record.bootId().equals(bootId) && record.process().isAlive();
  }

  void publish(ContainerEvent.Kind kind, StoredContainer record) {
    events.publish(new ContainerEvent(kind, record.id(), record.sandboxId(), now()));
  }

  /** Runs the work as steps of the caller's trace, or else reports them to our listener alone. */
  <T> T traced(Supplier<T> work) {
    return PodTrace.isRecording() ? work.get() : new PodTrace().at(settings.points()).record(work);
  }

  /** Runs all of it, and then fails with the first failure. */
  static void allOf(Runnable... parts) {
    RuntimeException first = null;
    for (Runnable part : parts) {
      try {
        part.run();
      } catch (RuntimeException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first instanceof SandboxException
          ? first
          : new SandboxException(
              SandboxException.Reason.FAILED, SandboxException.text(first), first);
    }
  }
}

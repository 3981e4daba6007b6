package io.ocicat.sandbox.container.life;

import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.cgroup.Cgroups;
import io.ocicat.sandbox.container.ContainerEvent;
import io.ocicat.sandbox.container.life.StoredContainer.Exit;
import io.ocicat.sandbox.container.life.StoredContainer.Phase;
import io.ocicat.sandbox.infra.ProcessId;
import io.ocicat.sandbox.trace.PodTrace;
import io.ocicat.sandbox.trace.StepKind;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.locks.LockSupport;

/**
 * Ends one container: notices that its process has ended, kills it, removes it. Called under its
 * lock.
 *
 * <p>That the process, known by pid and start time, is gone is the truth; a report of its monitor
 * only says how it ended.
 */
final class ContainerEnd {
  private static final int MISSED = 255;
  private static final int START_FAILED = 128;
  private static final Duration EXIT_LIMIT = Duration.ofSeconds(60);
  private static final Duration REPORT_LIMIT = Duration.ofSeconds(10);
  private static final Duration MONITOR_LIMIT = Duration.ofSeconds(2);
  private static final long PAUSE_NANOS = 2_000_000;

  private final ContainerContext context;
  private StoredContainer record;

  ContainerEnd(ContainerContext context, StoredContainer record) {
    this.context = context;
    this.record = record;
  }

  StoredContainer record() {
    return record;
  }

  /** Records that it has exited if it has, without waiting. Returns whether it has. */
  boolean settle() {
    return settle(false);
  }

  private boolean settle(boolean reportIsLate) {
    if (record.phase() == Phase.EXITED) {
      return true;
    }
    OptionalInt code = context.conmon().exitCode(record.id());
    if (code.isEmpty()) {
      if (context.isAlive(record)) {
        return false;
      }
      boolean sameBoot = record.bootId().equals(context.bootId());
      if (sameBoot && record.monitor().isAlive() && !reportIsLate) {
        return false;
      }
      // The monitor may have written it just before it ended.
      code = context.conmon().exitCode(record.id());
      if (code.isEmpty()) {
        exited(
            new Exit(
                context.now(),
                MISSED,
                "Unknown",
                sameBoot
                    ? "its monitor has ended before it"
                    : "the machine was restarted meanwhile"));
        return true;
      }
    }
    exited(exit(code.getAsInt()));
    return true;
  }

  private Exit exit(int code) {
    String reason = "Error";
    if (code == 0) {
      reason = "Completed";
    } else if (context.conmon().ranOutOfMemory(record.id())) {
      reason = "OOMKilled";
    }
    long finished = context.conmon().exitTime(record.id());
    return new Exit(Math.max(finished, record.startedAt()), code, reason, "");
  }

  /** Records how it ended, and frees what it no longer needs. */
  private void exited(Exit how) {
    record = record.exited(how);
    PodTrace.step(
        StepKind.RECORD,
        "exited with code %d (%s)".formatted(how.code(), how.reason()),
        () -> context.store().put(record));
    context.publish(ContainerEvent.Kind.STOPPED, record);
    release();
  }

  /** Ends what its first process left, and frees its cgroup. */
  void release() {
    PodTrace.step(
        StepKind.CONTAINER,
        "free the cgroup of " + record.id(),
        () -> {
          context.runtime().delete(record.id());
          destroyCgroup();
        });
  }

  private void destroyCgroup() {
    if (Cgroups.exists(record.group())) {
      Cgroups.destroy(record.group());
    }
  }

  /** Records that it could not be started. */
  void failedToStart(String why) {
    killProcesses();
    exited(new Exit(context.now(), START_FAILED, "StartError", why));
  }

  /**
   * Kills it and waits until it has exited.
   *
   * @throws SandboxException when it does not end
   */
  void kill() {
    if (settle()) {
      return;
    }
    PodTrace.step(StepKind.CONTAINER, "kill " + record.id(), this::killProcesses);
    if (!record.process().awaitEnd(EXIT_LIMIT)) {
      throw new SandboxException(
          Reason.FAILED,
          "container %s was killed, but its process %d does not end: it waits in the kernel"
              .formatted(record.id(), record.process().pid()));
    }
    awaitReport();
  }

  /** Whatever the PID namespaces are: with a shared one, only the first process would end. */
  private void killProcesses() {
    if (context.isAlive(record)) {
      record.process().signal(ProcessId.SIGKILL);
    }
    if (!record.group().isEmpty() && record.bootId().equals(context.bootId())) {
      Cgroups.killAll(record.group());
    }
  }

  /** After its process has ended. */
  void awaitReport() {
    long deadline = System.nanoTime() + REPORT_LIMIT.toNanos();
    while (!settle(System.nanoTime() - deadline >= 0)) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Removes everything of a container that has exited; its record last. */
  void remove() {
    kill();
    if (record.bootId().equals(context.bootId()) && !record.monitor().awaitEnd(MONITOR_LIMIT)) {
      record.monitor().signal(ProcessId.SIGKILL);
    }
    release();
    forget();
    context.publish(ContainerEvent.Kind.DELETED, record);
  }

  /**
   * Removes a container whose creation was not finished: a monitor or a runtime may still be about
   * to create it.
   */
  void removeUnfinished() {
    PodTrace.step(
        StepKind.CONTAINER,
        "end the processes of " + record.id(),
        () -> {
          context.conmon().endProcessesOf(record.id());
          context.runtime().delete(record.id());
          destroyCgroup();
        });
    forget();
  }

  private void forget() {
    String id = record.id();
    PodTrace.step(
        StepKind.CONTAINER,
        "remove the root file system of " + id,
        () -> context.rootfs().remove(id));
    PodTrace.step(
        StepKind.CONTAINER, "remove the files of " + id, () -> context.conmon().forget(id));
    PodTrace.step(StepKind.RECORD, "remove the record of " + id, () -> context.store().remove(id));
  }
}

package io.ocicat.sandbox.pods;

import io.ocicat.sandbox.PodMetadata;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.ContainerEvent;
import io.ocicat.sandbox.files.KeyedLocks;
import io.ocicat.sandbox.files.StateFiles;
import io.ocicat.sandbox.infra.PodInfra;
import io.ocicat.sandbox.infra.ProcessId;
import io.ocicat.sandbox.network.PodAttachment;
import io.ocicat.sandbox.store.ContainerRecord;
import io.ocicat.sandbox.store.SandboxRecord;
import io.ocicat.sandbox.store.SandboxRecord.NetworkPhase;
import io.ocicat.sandbox.store.SandboxRecord.Phase;
import io.ocicat.sandbox.trace.PodTrace;
import io.ocicat.sandbox.trace.StepKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Stops one sandbox: first its containers and processes, so that its addresses are not assigned to
 * others while they are still in use; then its network; then its namespace; then, when it is to be
 * removed, its records. A step that fails prevents those after it, because the next attempt needs
 * what they would remove. Called under the sandbox's lock.
 */
final class StopSandbox {
  private final SandboxContext context;
  private final Duration limit;
  private SandboxRecord record;

  StopSandbox(SandboxContext context, SandboxRecord record, Duration limit) {
    this.context = context;
    this.record = record;
    this.limit = limit;
  }

  void stop() {
    boolean first = record.phase() != Phase.STOPPED;
    if (first) {
      record = record.phase(Phase.STOPPED);
      saveIfRecorded();
    }
    try {
      stopContainers();
      endProcesses();
      tearDownNetwork();
      removeNamespace();
      removeSharedMemory();
      record = record.problem("");
      saveIfRecorded();
      if (first) {
        context.publish(ContainerEvent.Kind.STOPPED, record.id());
      }
    } catch (RuntimeException e) {
      record = record.problem(SandboxException.text(e));
      saveIfRecorded();
      throw e;
    }
  }

  /** A run that failed early has no record yet, and must not get one now. */
  private void saveIfRecorded() {
    if (context.store().exists(record.id())) {
      PodTrace.step(StepKind.RECORD, "stopped", () -> context.store().put(record));
    }
  }

  void remove() {
    stop();
    removeContainers();
    deleteRecords();
  }

  /** Returns what could not be torn down and stays behind without a record. */
  List<String> removeByForce() {
    try {
      stop();
    } catch (RuntimeException e) {
      removeNamespace();
      List<String> left = new ArrayList<>(List.of(SandboxException.text(e)));
      try {
        removeSharedMemory();
        removeContainers();
      } catch (RuntimeException also) {
        left.add(SandboxException.text(also));
      }
      deleteRecords();
      return left;
    }
    removeContainers();
    deleteRecords();
    return List.of();
  }

  private void stopContainers() {
    context.containers().ifPresent(all -> all.stopAll(record.id()));
  }

  private void removeContainers() {
    context.containers().ifPresent(all -> all.removeAll(record.id()));
  }

  private void endProcesses() {
    Duration grace = context.settings().grace();
    for (ContainerRecord container : record.containers()) {
      PodTrace.step(
          StepKind.CONTAINER,
          "end " + container.name(),
          () -> container.process().end(grace, true));
    }
    PodInfra infra = context.infra(record.infra());
    PodTrace.step(
        StepKind.INFRA,
        "end (%s)".formatted(infra.kind()),
        () -> infra.remove(record.id(), record.process(), grace));
    if (!record.netns().isEmpty()) {
      PodTrace.step(
          StepKind.CONTAINER,
          "end what is left in " + record.netns(),
          () -> NetnsProcesses.of(Path.of(record.netns())).forEach(StopSandbox::kill));
    }
    record = record.process(ProcessId.NONE).containers(List.of());
  }

  private static void kill(ProcessId process) {
    process.end(Duration.ZERO, false);
  }

  private void tearDownNetwork() {
    if (!record.network().needsTearDown()) {
      return;
    }
    PodAttachment attachment =
        record
            .attachedBy()
            .orElseThrow(
                () ->
                    new SandboxException(
                        Reason.CORRUPT,
                        "the record of sandbox %s does not say how it is attached"
                            .formatted(record.id())));
    PodTrace.step(
        StepKind.NETWORK,
        "tear down the pod's network",
        () -> {
          context.networks().tearDown(attachment, limit);
          if (context.settings().cluster().isNeeded(attachment)) {
            PodTrace.step(
                StepKind.CLUSTER,
                "withdraw the pod from the datastore",
                () -> context.settings().cluster().withdraw(record.config(), attachment));
          }
        });
    record = record.network(NetworkPhase.DETACHED);
    saveIfRecorded();
  }

  private void removeNamespace() {
    if (!record.netns().isEmpty()) {
      PodTrace.step(
          StepKind.NETNS,
          "remove " + record.netns(),
          () -> {
            boolean _ = context.namespaces().remove(SandboxContext.netnsName(record.id()));
          });
    }
  }

  private void removeSharedMemory() {
    if (context.sharedMemory().exists(record.id())) {
      PodTrace.step(
          StepKind.SHM,
          "unmount " + context.sharedMemory().pathOf(record.id()),
          () -> context.sharedMemory().remove(record.id()));
    }
  }

  private void deleteRecords() {
    String id = record.id();
    PodTrace.step(
        StepKind.CHECKPOINT,
        "remove the checkpoint",
        () -> context.store().checkpoints().remove(id));
    if (record.ownsLogs()) {
      Path logs = Path.of(record.config().logDirectory());
      PodTrace.step(StepKind.LOGS, "remove " + logs, () -> StateFiles.removeTree(logs));
    }
    PodMetadata pod = record.config().metadata();
    PodTrace.step(
        StepKind.NAME,
        "release " + pod.containerName(),
        () -> {
          try (KeyedLocks.Held _ =
              context.nameLocks().hold(pod.podKey(), context.settings().timeout())) {
            context.store().release(pod, id);
          }
        });
    PodTrace.step(StepKind.RECORD, "remove the record", () -> context.store().remove(id));
    context.store().unmarkBegun(id);
    context.publish(ContainerEvent.Kind.DELETED, id);
  }
}

package io.ocicat.sandbox.pods;

import io.ocicat.netlink.ns.NamedNetNs;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.ContainerEvent;
import io.ocicat.sandbox.container.Containers;
import io.ocicat.sandbox.files.KeyedLocks;
import io.ocicat.sandbox.files.StateFiles;
import io.ocicat.sandbox.infra.PodInfra;
import io.ocicat.sandbox.network.PodNetworks;
import io.ocicat.sandbox.store.SandboxRecord;
import io.ocicat.sandbox.store.SandboxStore;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** The dependencies that operations on sandboxes share. Thread-safe. */
record SandboxContext(
    SandboxSettings settings,
    SandboxStore store,
    PodNetworks networks,
    NamedNetNs namespaces,
    SharedMemory sharedMemory,
    Optional<Containers> containers,
    KeyedLocks sandboxLocks,
    KeyedLocks nameLocks) {

  static SandboxContext of(
      SandboxSettings settings, PodNetworks networks, Optional<Containers> containers) {
    Path run = StateFiles.privateFolder(settings.run());
    NamedNetNs namespaces = new NamedNetNs(run.resolve("netns"));
    KeyedLocks names = new KeyedLocks(run.resolve("names.lock"), "pod");
    try (KeyedLocks.Held _ = names.hold(namespaces.directory().toString(), settings.timeout())) {
      namespaces.prepare();
    }
    return new SandboxContext(
        settings,
        new SandboxStore(StateFiles.privateFolder(settings.state())),
        networks,
        namespaces,
        new SharedMemory(run.resolve("shm")),
        containers,
        new KeyedLocks(run.resolve("sandboxes.lock"), "sandbox"),
        names);
  }

  /** Returns the infra of that name; the first when the name is empty. */
  PodInfra infra(String handler) {
    if (handler.isEmpty()) {
      return settings.infras().getFirst();
    }
    return settings.infras().stream()
        .filter(infra -> infra.kind().equals(handler))
        .findFirst()
        .orElseThrow(
            () ->
                new SandboxException(
                    Reason.INVALID,
                    "runtime handler \"%s\" is not supported; there are %s"
                        .formatted(
                            handler, settings.infras().stream().map(PodInfra::kind).toList())));
  }

  /** Whether it is held by an infra that this process knows. */
  boolean isHeld(SandboxRecord record) {
    return settings.infras().stream()
        .anyMatch(
            infra -> infra.kind().equals(record.infra()) && infra.isRunning(record.process()));
  }

  PodInfra.Held held(SandboxRecord record) {
    return new PodInfra.Held(
        record.id(), record.config(), record.netns(), store.folder(record.id()));
  }

  /** Tells subscribers that a sandbox has changed. */
  void publish(ContainerEvent.Kind kind, String id) {
    containers.ifPresent(
        all ->
            all.events()
                .publish(new ContainerEvent(kind, id, id, nanos(settings.clock().instant()))));
  }

  static long nanos(Instant instant) {
    return Math.addExact(
        Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L), instant.getNano());
  }

  static String netnsName(String id) {
    return "pod-" + id;
  }
}

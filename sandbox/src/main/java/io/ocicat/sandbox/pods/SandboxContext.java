package io.ocicat.sandbox.pods;

import io.ocicat.netlink.ns.NamedNetNs;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.files.KeyedLocks;
import io.ocicat.sandbox.files.StateFiles;
import io.ocicat.sandbox.infra.PodInfra;
import io.ocicat.sandbox.network.PodNetworks;
import io.ocicat.sandbox.store.SandboxRecord;
import io.ocicat.sandbox.store.SandboxStore;
import java.nio.file.Path;

/** The dependencies that operations on sandboxes share. Thread-safe. */
record SandboxContext(
    SandboxSettings settings,
    SandboxStore store,
    PodNetworks networks,
    NamedNetNs namespaces,
    KeyedLocks sandboxLocks,
    KeyedLocks nameLocks) {

  static SandboxContext of(SandboxSettings settings, PodNetworks networks) {
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

  static String netnsName(String id) {
    return "pod-" + id;
  }
}

package io.ocicat.cni.runtime;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.PluginRequest;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.exec.Verb;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Performs GC: DEL for every cached attachment of the network that is no longer valid, then GC of
 * all plugins in order. Failures do not stop it; all of them are reported. Every DEL and every
 * plugin has the full time limit.
 */
record GcOperation(RuntimeContext engine, PluginChain declared) {
  /**
   * @param valid null when unknown: then no cached attachment is valid, and plugins get no list
   * @param detached receives each cached attachment after its DEL
   */
  void run(@Nullable List<Attachment> valid, Consumer<Attachment> detached) {
    if (declared.list().disableGc()) {
      return;
    }
    List<CniException> failures = new ArrayList<>();
    try (AttachmentLocks.Held _ =
        engine.locks().network(declared.network(), engine.settings().deadline())) {
      deleteStale(valid == null ? Set.of() : Set.copyOf(valid), detached, failures);
      collect(valid, failures);
    }
    if (!failures.isEmpty()) {
      throw CombinedFailure.joined(failures, "", "\n");
    }
  }

  private void deleteStale(
      Set<Attachment> valid, Consumer<Attachment> detached, List<CniException> failures) {
    List<CachedAttachment> cached;
    try {
      cached = engine.cache().list();
    } catch (CniException e) {
      failures.add(e);
      return;
    }
    for (CachedAttachment attachment : cached) {
      Container container = attachment.container();
      Attachment here = new Attachment(container.id().value(), container.ifName().value());
      if (attachment.network().equals(declared.network()) && !valid.contains(here)) {
        try {
          new DelOperation(engine, declared).runStale(container);
          detached.accept(here);
        } catch (CniException e) {
          failures.add(
              e.prefixed(
                  "failed to delete stale attachment %s %s: "
                      .formatted(container.id(), container.ifName())));
        }
      }
    }
  }

  private void collect(@Nullable List<Attachment> valid, List<CniException> failures) {
    PluginChain chain = engine.negotiatedIfPossible(declared, engine.settings().deadline());
    if (!chain.isSurelyAtLeast(SpecVersion.V1_1_0)) {
      return;
    }
    for (PluginConfig plugin : chain.plugins()) {
      try {
        PluginCalls.Target target = engine.calls().find(chain, plugin);
        PluginRequest request = engine.calls().request(target);
        engine
            .calls()
            .run(
                Verb.GC,
                target,
                valid == null ? request : request.validAttachments(valid),
                engine.settings().deadline());
      } catch (CniException e) {
        failures.add(e.prefixed("failed to GC plugin " + plugin.type() + ": "));
      }
    }
  }
}

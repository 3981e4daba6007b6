package io.ocicat.cni.runtime;

import io.ocicat.base.Deadline;
import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.exec.Verb;
import org.jspecify.annotations.Nullable;

/**
 * Performs CHECK: runs the plugins in order, each with the final result of ADD; the first failure
 * ends it.
 */
record CheckOperation(RuntimeContext engine, PluginChain declared) {
  void run(Container container) {
    Deadline deadline = engine.settings().deadline();
    boolean disabled = declared.list().disableCheck();
    PluginChain chain = disabled ? declared : engine.negotiated(declared, deadline);
    if (!chain.isAtLeast(SpecVersion.V0_4_0)) {
      throw new CheckUnsupportedException(chain.version());
    }
    if (disabled) {
      return;
    }
    try (AttachmentLocks.Held _ =
        engine.locks().attachment(chain.network(), container.id(), deadline)) {
      ResultCache.Found found = engine.cache().find(CacheKey.of(chain.network(), container));
      Result previous = previous(chain, found, container);
      Container whole = found.complete(container);
      for (PluginConfig plugin : chain.plugins()) {
        PluginCalls.Target target = engine.calls().find(chain, plugin);
        engine.calls().run(Verb.CHECK, target, whole, previous, deadline);
      }
    }
  }

  private @Nullable Result previous(
      PluginChain chain, ResultCache.Found found, Container container) {
    Result previous;
    try {
      previous = found.resultIn(chain.specVersion()).orElse(null);
    } catch (CniException e) {
      throw e.prefixed(
          "failed to get network %s cached result: ".formatted(Quoted.of(chain.network().value())));
    }
    if (previous == null && engine.settings().checkNeedsCachedResult()) {
      throw new NotAttachedException(chain.network(), container);
    }
    return previous;
  }
}

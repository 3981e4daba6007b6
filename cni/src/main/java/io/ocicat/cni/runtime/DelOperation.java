package io.ocicat.cni.runtime;

import io.ocicat.base.Deadline;
import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.exec.Verb;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Performs DEL: runs the plugins in reverse, each with the final result of ADD, if it is still in
 * the cache. A missing or invalid cache entry does not prevent it. The entry is only removed when
 * all plugins have succeeded, so that DEL can be repeated.
 */
record DelOperation(RuntimeContext engine, PluginChain declared) {
  void run(Container container) {
    Deadline deadline = engine.settings().deadline();
    try (AttachmentLocks.Held _ =
        engine.locks().attachment(declared.network(), container.id(), deadline)) {
      runLocked(container, deadline);
    }
  }

  /** For GC, which has already locked the network. */
  void runStale(Container container) {
    Deadline deadline = engine.settings().deadline();
    try (AttachmentLocks.Held _ = engine.locks().container(container.id(), deadline)) {
      runLocked(container, deadline);
    }
  }

  private void runLocked(Container container, Deadline deadline) {
    CacheKey key = CacheKey.of(declared.network(), container);
    ResultCache.Found found = engine.cache().find(key);
    PluginChain chain = chain(found, deadline);
    Policy policy =
        new Policy(
            engine.settings().delContinuesOnFailure(),
            engine.settings().delSkipsMissingPlugins(),
            deadline);
    List<CniException> failures =
        del(chain, found.complete(container), previous(chain, found), policy);
    if (!failures.isEmpty()) {
      throw joined(failures);
    }
    engine.cache().remove(key);
  }

  /** A network may have changed since ADD: undo uses the configuration of that time. */
  private PluginChain chain(ResultCache.Found found, Deadline deadline) {
    if (engine.settings().delPrefersCachedConfig()
        && found instanceof ResultCache.Found.Attached(CachedAttachment attachment)
        && attachment.config().length > 0) {
      try {
        return PluginChain.of(attachment, declared.fromFolder());
      } catch (CniException e) {
        engine.warn(
            "network %s: DEL uses the present configuration, the cached one is unusable: %s"
                .formatted(Quoted.of(declared.network().value()), e.getMessage()));
      }
    }
    return engine.negotiatedIfPossible(declared, deadline);
  }

  /** Plugins must manage without it, so no failure to get it matters. */
  private @Nullable Result previous(PluginChain chain, ResultCache.Found found) {
    try {
      return chain.isAtLeast(SpecVersion.V0_4_0)
          ? found.resultIn(chain.specVersion()).orElse(null)
          : null;
    } catch (CniException e) {
      engine.warn(
          "network %s: DEL runs without the cached result: %s"
              .formatted(Quoted.of(chain.network().value()), e.getMessage()));
      return null;
    }
  }

  /**
   * After a failed ADD: every plugin is called, within a separate time limit and even if the thread
   * was interrupted, because that may be why ADD failed.
   *
   * @return what could not be undone, or null
   */
  @Nullable CniException rollBack(Container container) {
    boolean interrupted = Thread.interrupted();
    try {
      Deadline deadline = Deadline.in(engine.settings().rollbackLimit());
      List<CniException> failures =
          del(declared, container, null, new Policy(true, true, deadline));
      engine.cache().remove(CacheKey.of(declared.network(), container));
      return failures.isEmpty() ? null : joined(failures);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private record Policy(boolean goesOn, boolean skipsMissing, Deadline deadline) {
    /** A plugin that hangs must not use up the time of those after it. */
    Deadline share(int plugins) {
      return goesOn ? deadline.atMost(deadline.remaining().dividedBy(plugins)) : deadline;
    }
  }

  private List<CniException> del(
      PluginChain chain, Container container, @Nullable Result previous, Policy policy) {
    List<CniException> failures = new ArrayList<>();
    int left = chain.plugins().size();
    for (PluginConfig plugin : chain.plugins().reversed()) {
      try {
        Optional<PluginCalls.Target> target = find(chain, plugin, policy);
        if (target.isPresent()) {
          engine.calls().run(Verb.DEL, target.get(), container, previous, policy.share(left));
        }
      } catch (CniException e) {
        failures.add(chain.failed(plugin, "delete", e));
        if (!policy.goesOn) {
          return failures;
        }
      }
      left--;
    }
    return failures;
  }

  private Optional<PluginCalls.Target> find(PluginChain chain, PluginConfig plugin, Policy policy) {
    try {
      return Optional.of(engine.calls().find(chain, plugin));
    } catch (CniException e) {
      if (!policy.skipsMissing) {
        throw e;
      }
      engine.warn(
          "network %s: DEL leaves out plugin %s: %s"
              .formatted(
                  Quoted.of(chain.network().value()), Quoted.of(plugin.type()), e.getMessage()));
      return Optional.empty();
    }
  }

  private static CniException joined(List<CniException> failures) {
    return CombinedFailure.joined(
        failures, "%d plugins failed (delete): ".formatted(failures.size()), "; ");
  }
}

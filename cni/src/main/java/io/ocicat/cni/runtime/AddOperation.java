package io.ocicat.cni.runtime;

import io.ocicat.base.Deadline;
import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Performs ADD: runs the plugins in order, each with the result of the previous ones; the last
 * result is cached and returned. The first failure ends it. What was done until then is undone by
 * DEL: the caller's, or ours when rollback is enabled.
 *
 * <p>Foreseeable failures are checked before the first plugin runs.
 */
record AddOperation(RuntimeContext engine, PluginChain declared) {
  Result run(Container container) {
    refuseUnusable(container);
    Deadline deadline = engine.settings().deadline();
    CacheKey key = CacheKey.of(declared.network(), container);
    engine.cache().prepare(key);
    try (AttachmentLocks.Held _ =
        engine.locks().attachment(key.network(), key.container(), deadline)) {
      List<PluginCalls.Target> found = find();
      PluginChain chain = engine.negotiated(declared, deadline);
      chain.specVersion();
      List<PluginCalls.Target> targets = found.stream().map(target -> target.in(chain)).toList();
      boolean known = isKnown(key);
      try {
        Result result = add(chain, targets, container, deadline);
        engine
            .cache()
            .put(
                new CachedAttachment(
                    key.network(),
                    container,
                    chain.config(),
                    chain.effectiveList().orElse(null),
                    result.toJson()));
        return result;
      } catch (CniException e) {
        throw engine.settings().rollsBack() ? rolledBack(chain, container, known, e) : e;
      }
    }
  }

  private void refuseUnusable(Container container) {
    if (container.netns().isEmpty()) {
      throw new CniException(
          ErrorCode.INVALID_ENVIRONMENT,
          "container %s has no network namespace: ADD needs its path"
              .formatted(Quoted.of(container.id().value())));
    }
    if (declared.plugins().isEmpty()) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "network %s has no plugins".formatted(Quoted.of(declared.network().value())));
    }
  }

  private boolean isKnown(CacheKey key) {
    return engine.settings().rollsBack()
        && !(engine.cache().find(key) instanceof ResultCache.Found.Nothing);
  }

  private List<PluginCalls.Target> find() {
    List<PluginCalls.Target> targets = new ArrayList<>();
    for (PluginConfig plugin : declared.plugins()) {
      try {
        targets.add(engine.calls().find(declared, plugin));
      } catch (CniException e) {
        throw declared.failed(plugin, "add", e);
      }
    }
    return targets;
  }

  private Result add(
      PluginChain chain, List<PluginCalls.Target> targets, Container container, Deadline deadline) {
    SpecVersion version = chain.specVersion();
    Result result = null;
    for (PluginCalls.Target target : targets) {
      try {
        Result previous = result == null ? null : asPrevious(result, version);
        result = engine.calls().add(target, container, previous, deadline);
      } catch (CniException e) {
        throw chain.failed(target.plugin(), "add", e);
      }
    }
    return Objects.requireNonNull(result, "a chain without plugins");
  }

  /** A plugin may answer in another version; the next one only understands its own. */
  private static Result asPrevious(Result result, SpecVersion version) {
    try {
      return result.convertTo(version);
    } catch (CniException e) {
      throw e.prefixed(
          "the result before it is of version %s and it needs %s: "
              .formatted(result.version(), version));
    }
  }

  /**
   * Undoes a failed ADD and returns what to throw. An attachment that already existed is left
   * alone: then the second ADD was the mistake.
   */
  private CniException rolledBack(
      PluginChain chain, Container container, boolean known, CniException failure) {
    if (known) {
      engine.warn(
          "%s is not rolled back: it was attached to %s before"
              .formatted(container.id(), chain.network()));
      return failure;
    }
    CniException left = new DelOperation(engine, chain).rollBack(container);
    return left == null ? failure : withRollbackFailure(failure, left);
  }

  private static CniException withRollbackFailure(CniException failure, CniException left) {
    String details = "rollback failed, too: " + left.getMessage();
    CniException both =
        new CniException(
            failure.code(),
            failure.msg(),
            failure.details().isEmpty() ? details : failure.details() + "; " + details);
    both.addSuppressed(failure);
    both.addSuppressed(left);
    return both;
  }
}

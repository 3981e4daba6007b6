package io.ocicat.cni.runtime;

import io.ocicat.base.Deadline;
import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import java.time.Duration;

/** The services that all verbs of a runtime share. Thread-safe. */
record RuntimeContext(
    RuntimeSettings settings,
    PluginCalls calls,
    PluginVersions versions,
    ResultCache cache,
    AttachmentLocks locks) {

  static RuntimeContext of(RuntimeSettings settings) {
    PluginCalls calls = new PluginCalls(settings);
    ResultCache cache = new ResultCache(settings.cacheDirectory(), settings.warnings());
    return new RuntimeContext(
        settings,
        calls,
        new PluginVersions(calls),
        cache,
        new AttachmentLocks(new LockFile(cache.own()), settings.warnings()));
  }

  /** The same, locks included, with another time limit for operations. */
  RuntimeContext within(Duration limit) {
    return new RuntimeContext(settings.within(limit), calls, versions, cache, locks);
  }

  /**
   * The chain with the version its plugins are to be called with.
   *
   * @throws CniException when it must be negotiated and the plugins do not agree
   */
  PluginChain negotiated(PluginChain declared, Deadline deadline) {
    return settings.negotiatesWithPlugins() ? versions.negotiate(declared, deadline) : declared;
  }

  /** The same for verbs that should be tried in any case. */
  PluginChain negotiatedIfPossible(PluginChain declared, Deadline deadline) {
    try {
      return negotiated(declared, deadline);
    } catch (CniException e) {
      warn(
          "network %s is called with version %s: %s"
              .formatted(
                  Quoted.of(declared.network().value()),
                  Quoted.of(declared.version()),
                  e.getMessage()));
      return declared;
    }
  }

  void warn(String message) {
    settings.warnings().accept(message);
  }
}

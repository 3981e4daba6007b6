package io.ocicat.cni.runtime;

/** What the verbs share. Thread-safe. */
record Engine(
    Settings settings, PluginCalls calls, PluginVersions versions, ResultCache cache, Locks locks) {

  static Engine of(Settings settings) {
    PluginCalls calls = new PluginCalls(settings);
    ResultCache cache = new ResultCache(settings.cacheDirectory(), settings.warnings());
    return new Engine(
        settings,
        calls,
        new PluginVersions(calls),
        cache,
        new Locks(new LockFile(cache.own()), settings.warnings()));
  }

  void warn(String message) {
    settings.warnings().accept(message);
  }
}

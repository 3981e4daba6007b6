package io.ocicat.cni.runtime;

import io.ocicat.base.Deadline;
import io.ocicat.cni.exec.PluginExec;
import io.ocicat.cni.exec.PluginInvoker;
import io.ocicat.cni.exec.PluginPath;
import io.ocicat.cni.exec.TraceContext;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** All settings of a runtime; {@link Cni.Builder} explains each. */
record RuntimeSettings(
    ConfDirectory confDirectory,
    PluginPath pluginPath,
    Path cacheDirectory,
    Map<String, String> environment,
    PluginExec exec,
    PluginInvoker.Stderr pluginLog,
    Duration limit,
    Duration rollbackLimit,
    boolean delPrefersCachedConfig,
    boolean delContinuesOnFailure,
    boolean delSkipsMissingPlugins,
    boolean checkNeedsCachedResult,
    boolean negotiatesWithPlugins,
    boolean requestsKeepCapabilities,
    Supplier<Optional<TraceContext>> trace,
    Consumer<PluginRun> observer,
    Consumer<String> warnings) {
  RuntimeSettings {
    environment = Map.copyOf(environment);
  }

  Deadline deadline() {
    return Deadline.in(limit);
  }

  RuntimeSettings within(Duration other) {
    return new RuntimeSettings(
        confDirectory,
        pluginPath,
        cacheDirectory,
        environment,
        exec,
        pluginLog,
        other,
        rollbackLimit,
        delPrefersCachedConfig,
        delContinuesOnFailure,
        delSkipsMissingPlugins,
        checkNeedsCachedResult,
        negotiatesWithPlugins,
        requestsKeepCapabilities,
        trace,
        observer,
        warnings);
  }

  boolean rollsBack() {
    return rollbackLimit.isPositive();
  }
}

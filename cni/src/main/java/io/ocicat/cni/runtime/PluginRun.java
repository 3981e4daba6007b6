package io.ocicat.cni.runtime;

import io.ocicat.cni.CniException;
import io.ocicat.cni.exec.Verb;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A finished execution of a plugin, for logs, metrics and traces.
 *
 * @param container null when the verb concerns no container
 * @param failure null when it succeeded
 */
public record PluginRun(
    Verb verb,
    String network,
    String plugin,
    @Nullable Container container,
    Duration took,
    @Nullable CniException failure) {}

package io.ocicat.sandbox.pods;

import io.ocicat.sandbox.PodConfig;

/**
 * A sandbox in a list that is asked for each second: what its record and its infra process tell,
 * without a look into its network.
 *
 * @param createdAt nanoseconds since 1970
 */
public record SandboxItem(
    String id, PodConfig config, SandboxState state, long createdAt, String runtimeHandler) {}

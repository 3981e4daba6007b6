package io.ocicat.agent.bgp;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.view.WatchedCluster;

/** All that the configuration of BIRD is computed from. */
public record BgpInputs(
    WatchedCluster view,
    AgentConfig config,
    BgpSettings settings,
    BgpSecrets secrets,
    ServiceRoutes services) {}

package io.ocicat.agent;

import io.ocicat.agent.bgp.BgpSettings;
import io.ocicat.agent.bgp.SecretSource;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * What an agent needs for BGP.
 *
 * @param secretInterval how often Secrets in use are read again
 * @param configuration gets every new configuration of BIRD, and must not wait
 */
public record BgpParts(
    BgpSettings settings,
    SecretSource secrets,
    Duration secretInterval,
    Consumer<String> configuration) {}

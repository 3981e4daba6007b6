package io.ocicat.cri.service;

import io.ocicat.cri.streaming.StreamingRequest;
import io.ocicat.image.ImageStore;
import io.ocicat.sandbox.container.Containers;
import io.ocicat.sandbox.network.PodNetworks;
import io.ocicat.sandbox.pods.PodSandboxes;
import java.time.Clock;
import java.util.Optional;
import java.util.function.Function;

/**
 * What the services are made of.
 *
 * @param systemdCgroups whether systemd makes the cgroups, which kubelet has to know
 * @param version of this program
 * @param addresses gives an address to a request that needs a stream; none when too many wait
 */
public record CriParts(
    PodSandboxes sandboxes,
    PodNetworks networks,
    Containers containers,
    ImageStore images,
    boolean systemdCgroups,
    String version,
    Function<StreamingRequest, Optional<String>> addresses,
    Clock clock) {}

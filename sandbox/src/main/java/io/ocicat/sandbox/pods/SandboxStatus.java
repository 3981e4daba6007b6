package io.ocicat.sandbox.pods;

import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.store.ContainerRecord;
import java.util.List;

/**
 * A sandbox as it is now.
 *
 * @param createdAt nanoseconds since 1970; 0 when only its checkpoint is left
 * @param ips the primary one first; empty for the host's network and when it has none any more
 * @param network the name of its network; empty for the host's
 * @param netns the path of its network namespace; empty for the host's
 * @param runtimeHandler what was asked for; empty when nothing was
 * @param infra the kind of what holds it
 * @param pid of the process that holds it; 0 when none does
 * @param problem why it could not be taken down, or is not ready any more; empty when neither is
 *     so, and when it was stopped
 */
public record SandboxStatus(
    String id,
    PodConfig config,
    SandboxState state,
    long createdAt,
    List<String> ips,
    String network,
    String netns,
    String runtimeHandler,
    String infra,
    long pid,
    List<ContainerRecord> containers,
    String problem) {
  public SandboxStatus {
    ips = List.copyOf(ips);
    containers = List.copyOf(containers);
  }
}

package io.ocicat.sandbox.pods;

import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.store.ContainerRecord;
import java.util.List;

/**
 * The current state of a sandbox.
 *
 * @param createdAt nanoseconds since 1970; that of its checkpoint when nothing else is left
 * @param ips the primary one first; empty for the host's network and when it no longer has any
 * @param network the name of its network; empty for the host's
 * @param netns the path of its network namespace; empty for the host's
 * @param runtimeHandler the requested handler; empty when none was
 * @param infra the kind of its infra
 * @param pid of the infra process; 0 for none
 * @param problem why it could not be torn down, or is no longer ready; empty when neither is so,
 *     and when it was stopped
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

package io.ocicat.sandbox.store;

import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.infra.ProcessId;
import io.ocicat.sandbox.network.PodAttachment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The stored state of a sandbox, with everything that removing it needs.
 *
 * @param createdAt nanoseconds since 1970
 * @param bootId of the boot it was run in
 * @param netns the path of its network namespace; empty for the host's
 * @param infra the kind of its infra
 * @param attachment null until it is decided how the pod will be attached
 * @param ownsLogs whether the log directory was created for it
 * @param problem why it could not be torn down; empty when no attempt failed
 */
public record SandboxRecord(
    String id,
    long createdAt,
    String bootId,
    PodConfig config,
    String runtimeHandler,
    Phase phase,
    NetworkPhase network,
    String netns,
    String infra,
    ProcessId process,
    @Nullable PodAttachment attachment,
    List<String> ips,
    List<ContainerRecord> containers,
    boolean ownsLogs,
    String problem) {

  /** The phase of its life. */
  public enum Phase {
    CREATING,
    READY,
    STOPPED
  }

  /**
   * The phase of its network. Unlike a flag this distinguishes an ADD under way from one that was
   * never started: everything but {@link #NONE} and {@link #DETACHED} has to be torn down.
   */
  public enum NetworkPhase {
    NONE,
    ATTACHING,
    ATTACHED,
    DETACHED;

    public boolean needsTearDown() {
      return this == ATTACHING || this == ATTACHED;
    }
  }

  public SandboxRecord {
    ips = List.copyOf(ips);
    containers = List.copyOf(containers);
  }

  public Optional<PodAttachment> attachedBy() {
    return Optional.ofNullable(attachment);
  }

  public SandboxRecord phase(Phase now) {
    return copy(now, network, process, attachment, ips, containers, problem);
  }

  public SandboxRecord network(NetworkPhase now) {
    return copy(phase, now, process, attachment, ips, containers, problem);
  }

  public SandboxRecord process(ProcessId now) {
    return copy(phase, network, now, attachment, ips, containers, problem);
  }

  public SandboxRecord attaching(PodAttachment by) {
    return copy(phase, NetworkPhase.ATTACHING, process, by, ips, containers, problem);
  }

  public SandboxRecord attached(List<String> addresses) {
    return copy(phase, NetworkPhase.ATTACHED, process, attachment, addresses, containers, problem);
  }

  public SandboxRecord problem(String why) {
    return copy(phase, network, process, attachment, ips, containers, why);
  }

  public SandboxRecord containers(List<ContainerRecord> now) {
    return copy(phase, network, process, attachment, ips, now, problem);
  }

  /** Adds a container, replacing one of the same name. */
  public SandboxRecord container(ContainerRecord added) {
    List<ContainerRecord> now = new ArrayList<>(containers);
    now.removeIf(other -> other.name().equals(added.name()));
    now.add(added);
    return containers(now);
  }

  private SandboxRecord copy(
      Phase newPhase,
      NetworkPhase newNetwork,
      ProcessId newProcess,
      @Nullable PodAttachment newAttachment,
      List<String> newIps,
      List<ContainerRecord> newContainers,
      String newProblem) {
    return new SandboxRecord(
        id,
        createdAt,
        bootId,
        config,
        runtimeHandler,
        newPhase,
        newNetwork,
        netns,
        infra,
        newProcess,
        newAttachment,
        newIps,
        newContainers,
        ownsLogs,
        newProblem);
  }
}

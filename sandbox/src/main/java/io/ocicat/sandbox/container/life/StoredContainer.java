package io.ocicat.sandbox.container.life;

import io.ocicat.sandbox.LinuxResources;
import io.ocicat.sandbox.container.ContainerConfig;
import io.ocicat.sandbox.container.ContainerState;
import io.ocicat.sandbox.container.ContainerStatus;
import io.ocicat.sandbox.container.ContainerUser;
import io.ocicat.sandbox.infra.ProcessId;

/**
 * The stored state of a container, with everything that removing it needs. Times are nanoseconds
 * since 1970.
 *
 * @param bootId of the boot it was created in
 * @param imageRef a repository's digest, or the image's id
 * @param logPath absolute; empty for none
 * @param group its cgroup, below the root of the hierarchies
 * @param monitor its conmon
 * @param stopSignal by name or number; empty for SIGTERM
 * @param request the request it was created by, in base64
 */
record StoredContainer(
    String id,
    String sandboxId,
    long createdAt,
    String bootId,
    ContainerConfig config,
    String imageId,
    String imageRef,
    String logPath,
    String group,
    String stopSignal,
    String request,
    Phase phase,
    ProcessId process,
    ProcessId monitor,
    ContainerUser user,
    LinuxResources resources,
    long startedAt,
    Exit exit) {

  /** The phase of its life. */
  enum Phase {
    /** Its id was not returned yet. */
    CREATING,
    CREATED,
    /** The runtime was asked to start it, and has not answered. */
    STARTING,
    RUNNING,
    EXITED
  }

  /** How it ended. */
  record Exit(long finishedAt, int code, String reason, String message) {
    static final Exit NONE = new Exit(0, 0, "", "");
  }

  StoredContainer phase(Phase now) {
    return copy(now, process, monitor, user, resources, startedAt, exit);
  }

  StoredContainer created(ProcessId first, ProcessId itsMonitor, ContainerUser whom) {
    return copy(Phase.CREATED, first, itsMonitor, whom, resources, startedAt, exit);
  }

  StoredContainer running(long since) {
    return copy(Phase.RUNNING, process, monitor, user, resources, since, exit);
  }

  StoredContainer exited(Exit how) {
    return copy(Phase.EXITED, process, monitor, user, resources, startedAt, how);
  }

  StoredContainer limited(LinuxResources limits) {
    return copy(phase, process, monitor, user, limits, startedAt, exit);
  }

  private StoredContainer copy(
      Phase newPhase,
      ProcessId newProcess,
      ProcessId newMonitor,
      ContainerUser newUser,
      LinuxResources newResources,
      long newStartedAt,
      Exit newExit) {
    return new StoredContainer(
        id,
        sandboxId,
        createdAt,
        bootId,
        config,
        imageId,
        imageRef,
        logPath,
        group,
        stopSignal,
        request,
        newPhase,
        newProcess,
        newMonitor,
        newUser,
        newResources,
        newStartedAt,
        newExit);
  }

  ContainerState state() {
    return switch (phase) {
      case CREATING, CREATED, STARTING -> ContainerState.CREATED;
      case RUNNING -> ContainerState.RUNNING;
      case EXITED -> ContainerState.EXITED;
    };
  }

  ContainerStatus status(String bundle) {
    return new ContainerStatus(
        id,
        sandboxId,
        config,
        state(),
        createdAt,
        startedAt,
        exit.finishedAt(),
        exit.code(),
        exit.reason(),
        exit.message(),
        config.requestedImage(),
        imageRef,
        imageId,
        logPath,
        resources,
        user,
        stopSignal,
        phase == Phase.EXITED ? 0 : process.pid(),
        group,
        request,
        bundle);
  }
}

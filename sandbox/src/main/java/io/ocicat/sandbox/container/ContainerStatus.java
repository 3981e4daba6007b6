package io.ocicat.sandbox.container;

import io.ocicat.sandbox.LinuxResources;

/**
 * The state of a container. Times are nanoseconds since 1970, 0 before the state they belong to.
 *
 * @param config as it was created, with its resources as they were last updated
 * @param image what the user asked for
 * @param imageRef a repository's digest, or the id when there is none
 * @param imageId the id of the image
 * @param exitCode of the process, or 128 plus the signal; 255 when the exit was missed
 * @param reason {@code Completed}, {@code Error}, {@code OOMKilled}, {@code StartError} or {@code
 *     Unknown}; empty before it has exited
 * @param logPath absolute; empty for no log
 * @param pid of its first process in the host's namespace; 0 when it does not run
 * @param cgroup below the root of the hierarchies
 * @param request the request it was created by, in base64; empty for none
 * @param bundle the directory with {@code config.json}, the runtime specification
 */
public record ContainerStatus(
    String id,
    String sandboxId,
    ContainerConfig config,
    ContainerState state,
    long createdAt,
    long startedAt,
    long finishedAt,
    int exitCode,
    String reason,
    String message,
    String image,
    String imageRef,
    String imageId,
    String logPath,
    LinuxResources resources,
    ContainerUser user,
    String stopSignal,
    long pid,
    String cgroup,
    String request,
    String bundle) {}

package io.ocicat.cli.pod;

import io.ocicat.base.Quoted;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.ContainerFilter;
import io.ocicat.sandbox.container.ContainerStatus;
import io.ocicat.sandbox.container.Containers;
import java.util.List;

/** Finds containers that CRI clients created. */
final class PodContainers {
  private PodContainers() {}

  /** The container of a pod by its name or the start of its id; the newest of that name. */
  static ContainerStatus find(Containers containers, String sandboxId, String name) {
    List<ContainerStatus> all = containers.list(ContainerFilter.ofSandbox(sandboxId));
    return all.stream()
        .filter(container -> container.config().metadata().name().equals(name))
        .findFirst()
        .or(() -> all.stream().filter(container -> container.id().startsWith(name)).findFirst())
        .orElseThrow(
            () ->
                new SandboxException(
                    Reason.NOT_FOUND,
                    "the pod has no container %s; it has %s"
                        .formatted(
                            Quoted.brief(name),
                            all.stream()
                                .map(container -> container.config().metadata().name())
                                .toList())));
  }
}

package io.ocicat.sandbox.container.oci;

import io.ocicat.sandbox.container.ContainerConfig;
import io.ocicat.sandbox.container.ContainerImage;
import io.ocicat.sandbox.container.ContainerSandbox;
import java.nio.file.Path;
import java.util.Map;

/**
 * Everything a runtime specification is made from.
 *
 * @param rootfs the container's root file system, mounted
 * @param files a directory for files of the container that we write, such as its /etc/hosts
 * @param volumes a directory for the volumes of the image
 * @param cgroupsPath as the runtime reads it
 * @param targetPid whose PID namespace is shared; 0 for none
 * @param hostPaths the real paths of mounts and devices on the host, by the paths in the
 *     configuration
 * @param seccompProfile a file that replaces our default profile; empty for ours
 */
public record SpecRequest(
    ContainerSandbox sandbox,
    ContainerConfig config,
    ContainerImage image,
    Path rootfs,
    Path files,
    Path volumes,
    String cgroupsPath,
    long targetPid,
    Map<String, Path> hostPaths,
    String seccompProfile) {
  public SpecRequest {
    hostPaths = Map.copyOf(hostPaths);
  }

  boolean privileged() {
    return config.security().privileged();
  }
}

package io.ocicat.sandbox.container;

import io.ocicat.sandbox.PodConfig;
import java.nio.file.Path;
import java.util.List;

/**
 * The sandbox that a container is created in.
 *
 * @param netns the path of its network namespace; empty for the host's
 * @param pid of the infra process, whose namespaces are shared
 * @param resolvConf what its containers get as /etc/resolv.conf
 * @param shm what they get as /dev/shm; empty for the host's
 */
public record ContainerSandbox(
    String id,
    PodConfig config,
    String netns,
    long pid,
    List<String> ips,
    Path resolvConf,
    String shm) {
  public ContainerSandbox {
    ips = List.copyOf(ips);
  }
}

package io.ocicat.sandbox.container;

import java.util.List;

/**
 * What a container needs to know of its image.
 *
 * @param id the same string everywhere: {@code sha256:…} of the image's configuration
 * @param repoDigest {@code name@digest}; the id when it has none
 * @param user {@code user[:group]}, names or numbers; empty for root
 * @param env each {@code NAME=value}
 * @param volumes directories that get a place of their own in each container
 * @param stopSignal empty for SIGTERM
 */
public record ContainerImage(
    String id,
    String repoDigest,
    String user,
    List<String> env,
    List<String> entrypoint,
    List<String> cmd,
    String workingDir,
    List<String> volumes,
    String stopSignal) {
  public ContainerImage {
    env = List.copyOf(env);
    entrypoint = List.copyOf(entrypoint);
    cmd = List.copyOf(cmd);
    volumes = List.copyOf(volumes);
  }

  /** An image that says nothing of its own. */
  public static ContainerImage plain(String id) {
    return new ContainerImage(id, id, "", List.of(), List.of(), List.of(), "", List.of(), "");
  }
}

package io.ocicat.cli.pod;

import java.nio.file.Path;

/**
 * What runs containers.
 *
 * @param runtime the program: runc or crun
 * @param systemd whether systemd makes the cgroups
 */
public record ContainerChoice(Path imageRoot, String runtime, boolean systemd) {
  /** runc with cgroupfs, and the images in the state directory. */
  public static ContainerChoice usual(Path state) {
    return new ContainerChoice(state.resolve("images"), "runc", false);
  }
}

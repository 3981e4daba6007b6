package io.ocicat.sandbox.container;

import java.util.List;

/**
 * A file or directory of the host in a container.
 *
 * @param recursiveReadOnly also for what is mounted below it
 * @param image for a volume that is an image; empty otherwise
 * @param idMapped whether owners were to be mapped, which needs a user namespace
 */
public record ContainerMount(
    String containerPath,
    String hostPath,
    boolean readOnly,
    boolean selinuxRelabel,
    Propagation propagation,
    boolean recursiveReadOnly,
    String image,
    String imageSubPath,
    boolean idMapped,
    List<String> options) {
  /** Names and numbers are CRI's. */
  public enum Propagation {
    PRIVATE,
    HOST_TO_CONTAINER,
    BIDIRECTIONAL
  }

  public ContainerMount {
    options = List.copyOf(options);
  }

  public static ContainerMount of(String hostPath, String containerPath) {
    return new ContainerMount(
        containerPath,
        hostPath,
        false,
        false,
        Propagation.PRIVATE,
        false,
        "",
        "",
        false,
        List.of());
  }

  public ContainerMount asReadOnly(boolean recursive) {
    return new ContainerMount(
        containerPath,
        hostPath,
        true,
        selinuxRelabel,
        propagation,
        recursive,
        image,
        imageSubPath,
        idMapped,
        options);
  }

  public ContainerMount propagating(Propagation mode) {
    return new ContainerMount(
        containerPath,
        hostPath,
        readOnly,
        selinuxRelabel,
        mode,
        recursiveReadOnly,
        image,
        imageSubPath,
        idMapped,
        options);
  }
}

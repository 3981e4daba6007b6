package io.ocicat.sandbox.container;

import java.nio.file.Path;

/**
 * Makes the root file systems of containers. What was prepared outlives this process; removing
 * succeeds when there is nothing. Thread-safe.
 */
public interface RootFilesystems {
  /**
   * How much a container wrote; {@link ContainerUsage#UNKNOWN} for what is not counted.
   *
   * @param bytes in files
   */
  record LayerUsage(long bytes, long inodes) {}

  /** Returns the root of a container, mounted and writable; the same again for the same id. */
  Path prepare(String containerId, ContainerImage image);

  /** Unmounts and deletes it. */
  void remove(String containerId);

  /** Never waits for long: a count may be some time old. */
  LayerUsage usage(String containerId);
}

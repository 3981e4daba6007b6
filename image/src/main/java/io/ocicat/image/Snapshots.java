package io.ocicat.image;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The root file systems of containers: an image's layers below, and a layer of the container's own.
 * Mounted with overlayfs; copied where that is not possible. A snapshot keeps the layers it needs,
 * whatever happens to the image. Thread-safe.
 */
public interface Snapshots {

  /**
   * Makes a container's root file system, mounted. For a container that has one it is mounted again
   * if necessary, as after a reboot, and keeps what the container wrote.
   *
   * @param containerId a file name: letters, digits, {@code . _ -}
   * @return its root
   */
  Path prepare(String containerId, Image image);

  /** The root of a container's snapshot, mounted or not. */
  Optional<Path> root(String containerId);

  /** Unmounts and deletes it. Without effect if it does not exist. */
  void remove(String containerId);

  /** The containers that have snapshots, also those whose creation or removal was cut short. */
  List<String> list();

  /** What the container wrote. Walks its files: not for every request. */
  WrittenFiles written(String containerId);

  /** Size of a container's own layer. */
  record WrittenFiles(long bytes, long inodes) {}
}

package io.ocicat.image.archive;

import java.util.Map;

/**
 * One entry of a tar archive; names are {@link io.ocicat.image.files.RawName}s.
 *
 * @param size bytes of content that follow, 0 for anything but a regular file
 * @param linkName the target of a link, empty for anything else
 * @param attributes extended attributes by name
 */
public record TarEntry(
    String name,
    Type type,
    int permissions,
    int uid,
    int gid,
    long size,
    long modifiedSeconds,
    int modifiedNanos,
    String linkName,
    int deviceMajor,
    int deviceMinor,
    Map<String, byte[]> attributes) {

  /** The kind of an entry. */
  public enum Type {
    REGULAR,
    HARD_LINK,
    SYMLINK,
    CHARACTER_DEVICE,
    BLOCK_DEVICE,
    DIRECTORY,
    FIFO
  }
}

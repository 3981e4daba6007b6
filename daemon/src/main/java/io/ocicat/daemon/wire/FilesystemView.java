package io.ocicat.daemon.wire;

import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.Fd.FileId;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Identifies the file system and user namespace that a process sees, in numbers that are equal only
 * when paths and owners mean the same to both processes.
 */
public record FilesystemView(
    long mountNamespace, long userNamespace, long rootDevice, long rootInode) {
  static final int SIZE = 4 * Long.BYTES;

  /** This process's. */
  public static FilesystemView own() {
    FileId root = identity("/");
    return new FilesystemView(
        identity("/proc/self/ns/mnt").inode(),
        identity("/proc/self/ns/user").inode(),
        root.device(),
        root.inode());
  }

  private static FileId identity(String path) {
    try (Fd found = Fd.open(Path.of(path), Fd.O_RDONLY, 0)) {
      return found.id();
    }
  }

  static FilesystemView read(ByteBuffer frame) {
    return new FilesystemView(frame.getLong(), frame.getLong(), frame.getLong(), frame.getLong());
  }

  void write(ByteBuffer frame) {
    frame.putLong(mountNamespace).putLong(userNamespace).putLong(rootDevice).putLong(rootInode);
  }
}

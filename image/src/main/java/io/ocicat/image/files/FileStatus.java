package io.ocicat.image.files;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/**
 * The result of statx(2), whose structure is the same on all architectures.
 *
 * @param mode type and permissions
 * @param blocks of 512 bytes
 * @param isMountPoint whether it is the root of a mount; always false before Linux 5.8
 */
public record FileStatus(
    int mode,
    int uid,
    int gid,
    long inode,
    int links,
    long size,
    long blocks,
    long modifiedSeconds,
    int modifiedNanos,
    int deviceMajor,
    int deviceMinor,
    boolean isMountPoint) {
  public static final int TYPE = 0170000;
  public static final int FIFO = 0010000;
  public static final int CHARACTER_DEVICE = 0020000;
  public static final int DIRECTORY = 0040000;
  public static final int BLOCK_DEVICE = 0060000;
  public static final int REGULAR = 0100000;
  public static final int SYMLINK = 0120000;
  public static final int PERMISSIONS = 07777;

  static final int SIZE = 256;

  private static final long MOUNT_ROOT = 0x2000;

  static FileStatus of(MemorySegment statx) {
    return new FileStatus(
        Short.toUnsignedInt(statx.get(JAVA_SHORT, 28)),
        statx.get(JAVA_INT, 20),
        statx.get(JAVA_INT, 24),
        statx.get(JAVA_LONG, 32),
        statx.get(JAVA_INT, 16),
        statx.get(JAVA_LONG, 40),
        statx.get(JAVA_LONG, 48),
        statx.get(JAVA_LONG, 112),
        statx.get(JAVA_INT, 120),
        statx.get(JAVA_INT, 128),
        statx.get(JAVA_INT, 132),
        (statx.get(JAVA_LONG, 8) & MOUNT_ROOT) != 0);
  }

  public int type() {
    return mode & TYPE;
  }

  public int permissions() {
    return mode & PERMISSIONS;
  }

  public boolean isDirectory() {
    return type() == DIRECTORY;
  }

  public boolean isRegular() {
    return type() == REGULAR;
  }

  public boolean isSymlink() {
    return type() == SYMLINK;
  }

  public boolean isDevice() {
    return type() == CHARACTER_DEVICE || type() == BLOCK_DEVICE;
  }

  /** The mark of overlayfs for a name that is gone: a character device 0:0. */
  public boolean isWhiteout() {
    return type() == CHARACTER_DEVICE && deviceMajor == 0 && deviceMinor == 0;
  }
}

package io.ocicat.image.files;

import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Deletes and measures whole trees, whatever their names and however deep they are: a container may
 * nest directories deeper than any path is long.
 */
public final class Trees {
  /** Each level holds a descriptor. */
  private static final int DEEPEST = 100;

  private Trees() {}

  /**
   * The size of a tree.
   *
   * @param bytes what its files occupy on disk; a file with several names counts with each
   */
  public record Size(long bytes, long inodes) {}

  /** Deletes {@code folder} and all that is in it; nothing happens if it does not exist. */
  public static void remove(Path folder) {
    Path parent = folder.toAbsolutePath().getParent();
    if (parent == null || !Files.isDirectory(parent)) {
      return;
    }
    try (Directory directory = Directory.open(parent)) {
      remove(directory, RawName.ofText(folder.getFileName().toString()));
    }
  }

  public static boolean isEmpty(Path folder) {
    try (Directory directory = Directory.open(folder)) {
      return directory.names().isEmpty();
    }
  }

  /** Deletes a name, with all that is in it if it is a directory. */
  public static void remove(Directory parent, String name) {
    FileStatus status = parent.status(name).orElse(null);
    if (status == null) {
      return;
    }
    if (!status.isDirectory()) {
      removeName(parent, name);
      return;
    }
    refuseMountPoint(parent, name, status);
    try (Directory top = parent.child(name)) {
      long moved = 0;
      // Each round deletes a limited depth; what is deeper has been moved up for the next one.
      do {
        moved = clear(top, top, 0, moved);
      } while (!top.names().isEmpty());
    }
    parent.removeDirectory(name);
  }

  private static long clear(Directory top, Directory directory, int depth, long moved) {
    long count = moved;
    for (String name : directory.names()) {
      FileStatus status = directory.status(name).orElse(null);
      if (status == null) {
        continue;
      }
      if (!status.isDirectory()) {
        removeName(directory, name);
        continue;
      }
      refuseMountPoint(directory, name, status);
      if (depth < DEEPEST) {
        try (Directory child = directory.child(name)) {
          count = clear(top, child, depth + 1, count);
        }
        removeEmpty(directory, name);
      } else {
        directory.rename(name, top, freshName(top, ++count));
      }
    }
    return count;
  }

  /** What is mounted there belongs to somebody else, and may be the host's. */
  private static void refuseMountPoint(Directory parent, String name, FileStatus status) {
    if (status.isMountPoint()) {
      throw new NetlinkException(
          "remove " + RawName.quoted(parent.path() + "/" + name),
          Errno.EBUSY,
          "something is mounted there");
    }
  }

  private static String freshName(Directory top, long count) {
    String name = ".deep-" + count;
    return top.status(name).isEmpty() ? name : freshName(top, count + 1_000_000);
  }

  private static void removeName(Directory directory, String name) {
    try {
      directory.remove(name);
    } catch (NetlinkException e) {
      if (!e.is(Errno.ENOENT)) {
        throw e;
      }
    }
  }

  private static void removeEmpty(Directory directory, String name) {
    try {
      directory.removeDirectory(name);
    } catch (NetlinkException e) {
      if (!e.is(Errno.ENOENT)) {
        throw e;
      }
    }
  }

  /** Adds up what is below a directory, as far as {@value #DEEPEST} levels down. */
  public static Size size(Directory directory) {
    return size(directory, 0);
  }

  private static Size size(Directory directory, int depth) {
    long bytes = 0;
    long inodes = 0;
    for (String name : directory.names()) {
      FileStatus status = directory.status(name).orElse(null);
      if (status == null) {
        continue;
      }
      bytes += status.blocks() * 512;
      inodes++;
      if (status.isDirectory() && depth < DEEPEST) {
        try (Directory child = directory.child(name)) {
          Size below = size(child, depth + 1);
          bytes += below.bytes();
          inodes += below.inodes();
        } catch (NetlinkException e) {
          if (!e.is(Errno.ENOENT)) {
            throw e;
          }
        }
      }
    }
    return new Size(bytes, inodes);
  }
}

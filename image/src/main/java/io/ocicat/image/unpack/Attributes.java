package io.ocicat.image.unpack;

import io.ocicat.image.archive.ArchiveException;
import io.ocicat.image.files.Directory;
import io.ocicat.image.files.FileStatus;
import io.ocicat.image.files.RawName;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import java.util.List;
import java.util.Optional;

/**
 * Extended attributes of files in layers. Those that overlayfs reads are refused: a layer could
 * otherwise show files of other layers, or hide them from whoever checks it. Labels of SELinux
 * belong to the machine that built the image, and are left out.
 */
final class Attributes {
  private static final String OVERLAY = ".overlay.";

  private Attributes() {}

  static void set(Directory directory, String name, String key, byte[] value)
      throws ArchiveException {
    if (key.startsWith("trusted.") || key.startsWith("user.overlay.")) {
      throw new ArchiveException(
          "%s has the attribute %s, which images may not set"
              .formatted(RawName.quoted(name), RawName.quoted(key)));
    }
    if (!key.startsWith("user.")
        && !key.equals("security.capability")
        && !key.startsWith("system.posix_acl_")) {
      return;
    }
    int errno = directory.attribute(name, key, value);
    boolean unsupported =
        errno == Errno.EOPNOTSUPP.number()
            // Links and devices cannot have attributes of users.
            || (errno == Errno.EPERM.number() && key.startsWith("user."));
    if (errno != 0 && !unsupported) {
      throw new NetlinkException("set attribute " + key, new Errno(errno));
    }
  }

  /**
   * Copies owner, permissions and attributes of a directory in a layer below.
   *
   * @return its status; empty if it is not there, or not a directory
   */
  static Optional<FileStatus> copy(
      Directory layer, List<String> path, Directory target, String name) {
    return copy(layer, path, 0, target, name);
  }

  private static Optional<FileStatus> copy(
      Directory layer, List<String> path, int depth, Directory target, String name) {
    if (depth == path.size()) {
      FileStatus status = layer.status();
      target.owner(name, status.uid(), status.gid());
      target.permissions(name, status.permissions());
      copyAttributes(layer, "", target, name);
      return Optional.of(status);
    }
    if (layer.status(path.get(depth)).filter(FileStatus::isDirectory).isEmpty()) {
      return Optional.empty();
    }
    try (Directory child = layer.child(path.get(depth))) {
      return copy(child, path, depth + 1, target, name);
    }
  }

  /** All but those of overlayfs itself. */
  static void copyAttributes(Directory from, String name, Directory to, String newName) {
    for (String key : from.attributes(name)) {
      if (!key.contains(OVERLAY)) {
        from.attribute(name, key).ifPresent(value -> to.attribute(newName, key, value));
      }
    }
  }
}

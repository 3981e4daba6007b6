package io.ocicat.image.unpack;

import io.ocicat.image.files.Directory;
import io.ocicat.image.files.FileStatus;
import io.ocicat.image.files.OpenFile;
import io.ocicat.image.files.Trees;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Copies unpacked layers on top of each other, as overlayfs would show them, for machines where it
 * cannot be mounted. Not thread-safe; one for each layer.
 */
public final class LayerCopy {
  private static final int WRITABLE = 0700;

  private final Directory target;
  private final byte[] buffer = new byte[128 << 10];

  /** Where the first name of a file with several was copied to. */
  private final Map<Long, List<String>> firstNames = new HashMap<>();

  private LayerCopy(Directory target) {
    this.target = target;
  }

  /** Applies a layer to what is in {@code target}. */
  public static void apply(Path layer, Path target) {
    try (Directory from = Directory.open(layer);
        Directory to = Directory.open(target)) {
      new LayerCopy(to).copy(from, to, List.of());
      describe(from, "", from.status(), to, "");
    }
  }

  private void copy(Directory from, Directory to, List<String> path) {
    for (String name : from.names()) {
      FileStatus status = from.status(name).orElseThrow();
      if (status.isWhiteout()) {
        Trees.remove(to, name);
      } else if (status.isDirectory()) {
        copyDirectory(from, to, name, status, append(path, name));
      } else {
        Trees.remove(to, name);
        copyFile(from, to, name, status, append(path, name));
      }
    }
  }

  private void copyDirectory(
      Directory from, Directory to, String name, FileStatus status, List<String> path) {
    boolean opaque = from.attribute(name, "trusted.overlay.opaque").isPresent();
    boolean merged = to.status(name).filter(FileStatus::isDirectory).isPresent() && !opaque;
    if (!merged) {
      Trees.remove(to, name);
      to.makeDirectory(name, WRITABLE);
    }
    try (Directory source = from.child(name);
        Directory copy = to.child(name)) {
      copy(source, copy, path);
    }
    describe(from, name, status, to, name);
  }

  private void copyFile(
      Directory from, Directory to, String name, FileStatus status, List<String> path) {
    List<String> first = status.links() > 1 ? firstNames.putIfAbsent(status.inode(), path) : null;
    if (first != null) {
      link(target, first, 0, to, name);
      return;
    }
    switch (status.type()) {
      case FileStatus.REGULAR -> copyContent(from, to, name);
      case FileStatus.SYMLINK -> to.symlink(name, from.readLink(name));
      default -> to.makeNode(name, status.mode(), status.deviceMajor(), status.deviceMinor());
    }
    describe(from, name, status, to, name);
  }

  private static void link(Directory at, List<String> first, int depth, Directory to, String name) {
    if (depth == first.size() - 1) {
      to.link(at, first.getLast(), name);
      return;
    }
    try (Directory child = at.child(first.get(depth))) {
      link(child, first, depth + 1, to, name);
    }
  }

  private void copyContent(Directory from, Directory to, String name) {
    try (OpenFile source = from.read(name);
        OpenFile copy = to.create(name)) {
      int length;
      while ((length = source.read(buffer)) > 0) {
        copy.write(buffer, 0, length);
      }
    }
  }

  private static void describe(
      Directory from, String name, FileStatus status, Directory to, String newName) {
    to.owner(newName, status.uid(), status.gid());
    if (!status.isSymlink()) {
      to.permissions(newName, status.permissions());
    }
    Attributes.copyAttributes(from, name, to, newName);
    to.modified(newName, status.modifiedSeconds(), status.modifiedNanos());
  }

  private static List<String> append(List<String> path, String name) {
    List<String> longer = new ArrayList<>(path);
    longer.add(name);
    return longer;
  }
}

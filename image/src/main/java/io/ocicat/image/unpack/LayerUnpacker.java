package io.ocicat.image.unpack;

import io.ocicat.image.archive.ArchiveException;
import io.ocicat.image.archive.ArchiveLimits;
import io.ocicat.image.archive.TarEntry;
import io.ocicat.image.archive.TarReader;
import io.ocicat.image.files.Directory;
import io.ocicat.image.files.FileStatus;
import io.ocicat.image.files.OpenFile;
import io.ocicat.image.files.RawName;
import io.ocicat.image.files.Trees;
import io.ocicat.image.unpack.UnpackRoot.Place;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Unpacks one layer into an empty directory, as overlayfs wants it (OCI image specification,
 * layer.md):
 *
 * <ul>
 *   <li>{@code .wh.x} becomes a character device 0:0 named x, {@code .wh..wh..opq} an attribute of
 *       its directory. Both concern the layers below only, wherever they stand in the archive: what
 *       this layer itself has under the name stays.
 *   <li>A directory that the archive needs but does not describe looks like the one below it, not
 *       like a new one.
 *   <li>Of two entries of one name the last counts, as with tar; two directories become one.
 *   <li>Owner, then permissions, which a change of owner would reduce, then attributes; the times
 *       of directories at the end, because their content changes them.
 * </ul>
 *
 * <p>What tries to leave the root, devices, attributes of overlayfs and links to what is not there
 * are refused: see {@link UnpackRoot}, {@link DevicePolicy}.
 *
 * <p>Not thread-safe; one for each layer.
 */
public final class LayerUnpacker {
  private static final String WHITEOUT = ".wh.";
  private static final String OPAQUE = ".wh..wh..opq";

  /** Marks of aufs for itself. */
  private static final String AUFS = ".wh..wh.";

  private static final String OPAQUE_ATTRIBUTE = "trusted.overlay.opaque";
  private static final byte[] YES = "y".getBytes(StandardCharsets.US_ASCII);
  private static final int NEW_DIRECTORY = 0755;

  private final Directory root;
  private final List<Path> below;
  private final ArchiveLimits limits;
  private final DevicePolicy devices;
  private final UnpackRoot places;
  private final Map<List<String>, TarEntry> directories = new LinkedHashMap<>();
  private final byte[] buffer = new byte[128 << 10];

  /**
   * @param below the directories of the layers below, the uppermost first
   */
  private LayerUnpacker(
      Directory root, List<Path> below, ArchiveLimits limits, DevicePolicy devices) {
    this.root = root;
    this.below = List.copyOf(below);
    this.limits = limits;
    this.devices = devices;
    this.places = new UnpackRoot(root, this::makeMissing);
  }

  /**
   * Unpacks a layer.
   *
   * @param tar the archive, decompressed; read to its end
   * @param target an empty directory
   * @param below the directories of the layers below, the uppermost first
   * @throws IOException with {@link ArchiveException} if the archive is at fault
   * @throws NetlinkException if the disk is
   */
  public static void unpack(
      InputStream tar, Path target, List<Path> below, ArchiveLimits limits, DevicePolicy devices)
      throws IOException {
    try (Directory root = Directory.open(target)) {
      LayerUnpacker unpacker = new LayerUnpacker(root, below, limits, devices);
      unpacker.likeBelow(root, "", List.of());
      unpacker.unpack(tar);
    }
  }

  private void unpack(InputStream tar) throws IOException {
    TarReader reader = new TarReader(tar, limits);
    try (places) {
      for (TarEntry entry = reader.next(); entry != null; entry = reader.next()) {
        if (Thread.currentThread().isInterrupted()) {
          throw new InterruptedIOException("interrupted while unpacking");
        }
        try {
          unpack(entry, reader);
        } catch (NetlinkException e) {
          if (e.is(Errno.ENOSPC)) {
            throw e;
          }
          throw new ArchiveException(
              "cannot unpack %s: %s: %s"
                  .formatted(RawName.quoted(entry.name()), e.operation(), e.errno()),
              e);
        }
      }
      setTimesOfDirectories();
    }
  }

  private void unpack(TarEntry entry, TarReader content) throws IOException {
    if (entry.name().startsWith("/") && !entry.name().equals("/")) {
      throw new ArchiveException("the name %s is absolute".formatted(RawName.quoted(entry.name())));
    }
    List<String> path = UnpackRoot.components(entry.name(), "the name");
    if (path.isEmpty()) {
      unpackRoot(entry);
      return;
    }
    String name = path.getLast();
    List<String> parentPath = path.subList(0, path.size() - 1);
    if (name.startsWith(WHITEOUT)) {
      whiteOut(parentPath, name);
      return;
    }
    Place parent = places.directory(parentPath);
    Directory directory = parent.directory();
    boolean exists = makeRoom(directory, name, entry);
    switch (entry.type()) {
      case REGULAR -> writeFile(directory, name, content);
      case HARD_LINK -> {
        link(directory, name, entry);
        return;
      }
      case SYMLINK -> directory.symlink(name, entry.linkName());
      case CHARACTER_DEVICE, BLOCK_DEVICE -> makeDevice(directory, name, entry);
      case FIFO -> directory.makeNode(name, FileStatus.FIFO | entry.permissions(), 0, 0);
      case DIRECTORY -> {
        if (!exists) {
          directory.makeDirectory(name, entry.permissions());
        }
        directories.put(append(parent.path(), name), entry);
      }
    }
    describe(directory, name, entry);
  }

  private void unpackRoot(TarEntry entry) throws ArchiveException {
    if (entry.type() != TarEntry.Type.DIRECTORY) {
      throw new ArchiveException("the root is not a directory");
    }
    describe(root, "", entry);
    directories.put(List.of(), entry);
  }

  /** Returns whether a directory stays where the entry makes one. */
  private boolean makeRoom(Directory directory, String name, TarEntry entry) {
    Optional<FileStatus> old = directory.status(name);
    if (old.isEmpty()) {
      return false;
    }
    if (old.get().isDirectory() && entry.type() == TarEntry.Type.DIRECTORY) {
      return true;
    }
    boolean wasWhiteout = old.get().isWhiteout();
    Trees.remove(directory, name);
    if (wasWhiteout && entry.type() == TarEntry.Type.DIRECTORY) {
      // The name below is gone with all that is in it.
      directory.makeDirectory(name, entry.permissions());
      makeOpaque(directory, name);
      return true;
    }
    return false;
  }

  private void writeFile(Directory directory, String name, TarReader content) throws IOException {
    try (OpenFile file = directory.create(name)) {
      int length;
      while ((length = content.read(buffer, 0, buffer.length)) >= 0) {
        file.write(buffer, 0, length);
      }
    }
  }

  private void link(Directory directory, String name, TarEntry entry) throws ArchiveException {
    List<String> target = UnpackRoot.components(entry.linkName(), "the link target");
    if (target.isEmpty()) {
      throw new ArchiveException(
          "%s is a link to the root".formatted(RawName.quoted(entry.name())));
    }
    places.existing(
        target.subList(0, target.size() - 1),
        from -> {
          FileStatus status = from.status(target.getLast()).orElse(null);
          if (status == null || status.isDirectory() || status.isWhiteout()) {
            throw new ArchiveException(
                "%s is a link to %s, which is not a file of this layer"
                    .formatted(RawName.quoted(entry.name()), RawName.quoted(entry.linkName())));
          }
          directory.link(from, target.getLast(), name);
          return status;
        });
  }

  private void makeDevice(Directory directory, String name, TarEntry entry)
      throws ArchiveException {
    if (!devices.allows(entry)) {
      throw new ArchiveException(
          "%s is a device %d:%d, which images may not contain"
              .formatted(RawName.quoted(entry.name()), entry.deviceMajor(), entry.deviceMinor()));
    }
    int type =
        entry.type() == TarEntry.Type.BLOCK_DEVICE
            ? FileStatus.BLOCK_DEVICE
            : FileStatus.CHARACTER_DEVICE;
    directory.makeNode(name, type | entry.permissions(), entry.deviceMajor(), entry.deviceMinor());
  }

  /** Owner, permissions, attributes, time, of anything but a hard link. */
  private void describe(Directory directory, String name, TarEntry entry) throws ArchiveException {
    directory.owner(name, entry.uid(), entry.gid());
    if (entry.type() != TarEntry.Type.SYMLINK) {
      directory.permissions(name, entry.permissions());
    }
    for (Map.Entry<String, byte[]> attribute : entry.attributes().entrySet()) {
      Attributes.set(directory, name, attribute.getKey(), attribute.getValue());
    }
    if (entry.type() != TarEntry.Type.DIRECTORY) {
      directory.modified(name, entry.modifiedSeconds(), entry.modifiedNanos());
    }
  }

  private void whiteOut(List<String> parentPath, String mark) throws ArchiveException {
    if (mark.equals(OPAQUE)) {
      Directory directory = places.directory(parentPath).directory();
      makeOpaque(directory, "");
      return;
    }
    if (mark.startsWith(AUFS)) {
      return;
    }
    String name = mark.substring(WHITEOUT.length());
    if (name.isEmpty() || name.equals(".") || name.equals("..")) {
      throw new ArchiveException(
          "the whiteout %s in %s names no file"
              .formatted(RawName.quoted(mark), RawName.quoted(String.join("/", parentPath))));
    }
    Directory directory = places.directory(parentPath).directory();
    Optional<FileStatus> own = directory.status(name);
    if (own.isEmpty()) {
      directory.makeNode(name, FileStatus.CHARACTER_DEVICE, 0, 0);
    } else if (own.get().isDirectory()) {
      makeOpaque(directory, name);
    }
  }

  private static void makeOpaque(Directory directory, String name) {
    int errno = directory.attribute(name, OPAQUE_ATTRIBUTE, YES);
    if (errno != 0) {
      throw new NetlinkException("set " + OPAQUE_ATTRIBUTE, new Errno(errno));
    }
  }

  private void makeMissing(Directory parent, String name, List<String> path) {
    boolean hidden = parent.status(name).isPresent();
    if (hidden) {
      parent.remove(name);
    }
    parent.makeDirectory(name, NEW_DIRECTORY);
    if (hidden) {
      makeOpaque(parent, name);
    } else {
      likeBelow(parent, name, path);
    }
  }

  /** Gives a directory owner, permissions, attributes and time of the same one below. */
  private void likeBelow(Directory parent, String name, List<String> path) {
    for (Path layer : below) {
      try (Directory lower = Directory.open(layer)) {
        Optional<FileStatus> status = Attributes.copy(lower, path, parent, name);
        if (status.isPresent()) {
          FileStatus like = status.get();
          directories.put(
              List.copyOf(path),
              new TarEntry(
                  name,
                  TarEntry.Type.DIRECTORY,
                  like.permissions(),
                  like.uid(),
                  like.gid(),
                  0,
                  like.modifiedSeconds(),
                  like.modifiedNanos(),
                  "",
                  0,
                  0,
                  Map.of()));
          return;
        }
      }
    }
  }

  private void setTimesOfDirectories() throws ArchiveException {
    for (Map.Entry<List<String>, TarEntry> each : directories.entrySet()) {
      TarEntry entry = each.getValue();
      List<String> path = each.getKey();
      if (path.isEmpty()) {
        root.modified("", entry.modifiedSeconds(), entry.modifiedNanos());
        continue;
      }
      setTime(path, entry);
    }
  }

  /** Of a directory that may have been replaced by something else since. */
  private void setTime(List<String> path, TarEntry entry) throws ArchiveException {
    try {
      places.existing(
          path.subList(0, path.size() - 1),
          parent -> {
            if (parent.status(path.getLast()).filter(FileStatus::isDirectory).isPresent()) {
              parent.modified(path.getLast(), entry.modifiedSeconds(), entry.modifiedNanos());
            }
            return path;
          });
    } catch (ArchiveException _) {
      // A directory above it was replaced as well.
    }
  }

  private static List<String> append(List<String> path, String name) {
    List<String> longer = new ArrayList<>(path);
    longer.add(name);
    return List.copyOf(longer);
  }
}

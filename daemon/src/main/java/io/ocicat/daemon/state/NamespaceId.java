package io.ocicat.daemon.state;

import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.Fd.FileId;
import io.ocicat.netlink.linux.FileStat;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/** Identifies a network namespace while it exists. */
public record NamespaceId(long device, long inode) {
  public static final NamespaceId NONE = new NamespaceId(0, 0);

  private static final Path OWN = Path.of("/proc/self/ns/net");
  private static final Path NAMED = Path.of("/run/netns");
  private static final Path PROCESSES = Path.of("/proc");

  /** The namespace that a path leads to; {@link #NONE} when there is none. */
  public static NamespaceId of(Path path) {
    try (NetNs found = NetNs.open(path)) {
      FileId id = found.id();
      return new NamespaceId(id.device(), id.inode());
    } catch (NetlinkException _) {
      return NONE;
    }
  }

  public static NamespaceId of(String path) {
    try {
      return path.isEmpty() ? NONE : of(Path.of(path));
    } catch (InvalidPathException _) {
      return NONE;
    }
  }

  /** The namespace of a descriptor, which is assumed to be one. */
  public static NamespaceId of(Fd descriptor) {
    FileId id = descriptor.id();
    return new NamespaceId(id.device(), id.inode());
  }

  /**
   * Whether a path still leads to it. Makes a single stat(2), and assumes that whatever has this
   * identity is the namespace.
   */
  public boolean isStillAt(String path) {
    try {
      FileId found = FileStat.of(Path.of(path)).id();
      return found.device() == device && found.inode() == inode;
    } catch (InvalidPathException | NetlinkException _) {
      return false;
    }
  }

  public boolean isNone() {
    return equals(NONE);
  }

  /** This process's own. */
  public static NamespaceId own() {
    return of(OWN);
  }

  /** A path to it: as our own, by a name, or through a process that is in it. */
  public Optional<Path> find() {
    if (equals(own())) {
      return Optional.of(OWN);
    }
    return among(NAMED, "*", "").or(() -> among(PROCESSES, "[0-9]*", "ns/net"));
  }

  private Optional<Path> among(Path folder, String pattern, String below) {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, pattern)) {
      for (Path entry : entries) {
        Path path = entry.resolve(below);
        if (equals(of(path))) {
          return Optional.of(path);
        }
      }
    } catch (IOException _) {
      // Not available here.
    }
    return Optional.empty();
  }

  static NamespaceId read(ByteBuffer in) {
    return new NamespaceId(in.getLong(), in.getLong());
  }

  void write(ByteBuffer out) {
    out.putLong(device).putLong(inode);
  }
}

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

/** What tells a network namespace from the others while it exists. */
public record NamespaceId(long device, long inode) {
  public static final NamespaceId NONE = new NamespaceId(0, 0);

  private static final Path OWN = Path.of("/proc/self/ns/net");
  private static final Path NAMED = Path.of("/run/netns");
  private static final Path PROCESSES = Path.of("/proc");

  /** The one a path leads to; {@link #NONE} when it leads to none. */
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

  /** The one behind a descriptor, which is taken for a namespace. */
  public static NamespaceId of(Fd descriptor) {
    FileId id = descriptor.id();
    return new NamespaceId(id.device(), id.inode());
  }

  /**
   * Whether a path still leads to it, as it once did. Asks no more than one question, and takes
   * whatever has this identity for the namespace.
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

  /** A way into it: as our own, by a name, or through a process that is in there. */
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
      // Nothing of that kind here.
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

package io.ocicat.image.store;

import io.ocicat.base.CrashPoints;
import io.ocicat.base.file.WholeFile;
import io.ocicat.image.ImageException;
import io.ocicat.image.files.Directory;
import io.ocicat.netlink.linux.FileLock;
import io.ocicat.netlink.linux.FileLock.Mode;
import io.ocicat.netlink.linux.NetlinkException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The folder of a store.
 *
 * <pre>
 * images.json          the images and their names: what is not in there does not exist
 * blobs/sha256/&lt;hex&gt;   manifests and configurations; layers until they are unpacked
 * layers/&lt;chain id&gt;    an unpacked layer: diff, files (its listing), layer.json
 * snapshots/&lt;id&gt;       a container's root file system
 * partial/&lt;hex&gt;        a blob on its way; drafts
 * lock                 held shared while content is added, exclusively while it is removed
 * </pre>
 *
 * <p>Content becomes visible by a rename after it is on disk, and {@code images.json} is written
 * last. So whatever is visible is complete, at whatever point the process or the power fails.
 */
final class StoreFiles {
  private static final FileAttribute<Set<PosixFilePermission>> OWNERS_FOLDER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final Duration LONGEST_COLLECTION = Duration.ofMinutes(5);

  private final Path root;
  private final CrashPoints points;

  StoreFiles(Path root, CrashPoints points) {
    this.root = root;
    this.points = points;
    makeFolder(blobs());
    makeFolder(layers());
    makeFolder(snapshots());
    makeFolder(partial());
  }

  Path root() {
    return root;
  }

  Path blobs() {
    return root.resolve("blobs/sha256");
  }

  Path layers() {
    return root.resolve("layers");
  }

  Path snapshots() {
    return root.resolve("snapshots");
  }

  Path partial() {
    return root.resolve("partial");
  }

  Path images() {
    return root.resolve("images.json");
  }

  /** A step was taken; see {@link CrashPoints}. */
  void pass(String point) {
    points.pass(point);
  }

  /** Held while content is added: keeps others from collecting it as garbage. */
  FileLock lockForAdding() {
    return lock(root.resolve("lock"), Mode.SHARED);
  }

  /** Held while content is removed; empty while somebody adds. */
  Optional<FileLock> lockForRemoving() {
    return FileLock.tryAcquire(root.resolve("lock"), Mode.EXCLUSIVE);
  }

  /** Held while {@code images.json} is read and written. */
  FileLock lockRecords() {
    return lock(root.resolve("images.lock"), Mode.EXCLUSIVE);
  }

  private static FileLock lock(Path file, Mode mode) {
    try {
      return FileLock.acquire(file, mode, LONGEST_COLLECTION);
    } catch (NetlinkException e) {
      throw failed("lock", file, e);
    }
  }

  static Path makeFolder(Path folder) {
    try {
      return Files.createDirectories(folder, OWNERS_FOLDER);
    } catch (IOException e) {
      throw failed("make", folder, e);
    }
  }

  /** Replaces a file so that it survives a power failure. */
  static void write(Path file, byte[] bytes) {
    try {
      WholeFile.at(file).durable().write(bytes);
    } catch (IOException e) {
      throw failed("write", file, e);
    }
    syncFolder(file.resolveSibling("."));
  }

  /** Replaces a file that a power failure may take with it, complete or not. */
  static void writeForNow(Path file, byte[] bytes) {
    try {
      WholeFile.at(file).write(bytes);
    } catch (IOException e) {
      throw failed("write", file, e);
    }
  }

  /** Makes names in a folder survive a power failure. */
  static void syncFolder(Path folder) {
    try (Directory directory = Directory.open(folder)) {
      directory.sync();
    } catch (NetlinkException e) {
      throw failed("sync", folder, e);
    }
  }

  static Optional<byte[]> read(Path file) {
    try {
      return Optional.of(Files.readAllBytes(file));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IOException e) {
      throw failed("read", file, e);
    }
  }

  static boolean remove(Path file) {
    try {
      return Files.deleteIfExists(file);
    } catch (IOException e) {
      throw failed("remove", file, e);
    }
  }

  static long size(Path file) {
    try {
      return Files.size(file);
    } catch (NoSuchFileException _) {
      return 0;
    } catch (IOException e) {
      throw failed("read", file, e);
    }
  }

  /** The names in a folder of ours, sorted. */
  static List<String> names(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    } catch (NoSuchFileException _) {
      return List.of();
    } catch (IOException e) {
      throw failed("list", folder, e);
    }
  }

  static ImageException failed(String verb, Path file, Exception e) {
    return ImageException.failed(verb, file, e);
  }
}

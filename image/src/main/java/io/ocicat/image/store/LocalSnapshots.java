package io.ocicat.image.store;

import io.ocicat.base.Quoted;
import io.ocicat.image.Digest;
import io.ocicat.image.Image;
import io.ocicat.image.ImageException;
import io.ocicat.image.ImageException.Reason;
import io.ocicat.image.Snapshots;
import io.ocicat.image.files.Directory;
import io.ocicat.image.files.FileStatus;
import io.ocicat.image.files.Trees;
import io.ocicat.image.unpack.LayerCopy;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.FileLock;
import io.ocicat.netlink.linux.NetlinkException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Snapshots on disk: {@code snapshots/<container>/} with {@code snapshot.json}, {@code upper},
 * {@code work} and {@code root}. The record is written before anything is made and removed after
 * everything is gone, so a snapshot that was cut short can be prepared or removed again. A power
 * failure may take the record: it ends the mounts and the containers as well.
 */
final class LocalSnapshots implements Snapshots {
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,127}");
  private static final String COMPLETE = "complete";

  private final StoreFiles files;
  private final Layers layers;
  private final boolean overlay;
  private final KeyedGuards guards = new KeyedGuards();

  LocalSnapshots(StoreFiles files, Layers layers, boolean overlay) {
    this.files = files;
    this.layers = layers;
    this.overlay = overlay;
  }

  @Override
  public Path prepare(String containerId, Image image) {
    Path folder = folder(containerId);
    try (KeyedGuards.Held _ = guards.hold(containerId)) {
      SnapshotRecord record = begin(containerId, folder, image);
      return record.copied() ? copy(folder, record) : mount(folder, record);
    } catch (NetlinkException e) {
      throw StoreFiles.failed("prepare", folder, e);
    }
  }

  /** The record that exists, or a new one. */
  private SnapshotRecord begin(String containerId, Path folder, Image image) {
    // Nobody may collect the layers between the look at them and the record that keeps them.
    try (FileLock _ = files.lockForAdding()) {
      Optional<SnapshotRecord> old = record(containerId);
      if (old.isPresent() && !old.get().image().equals(image.id())) {
        throw new ImageException(
            Reason.INVALID,
            "container %s has a snapshot of image %s, not of %s"
                .formatted(containerId, old.get().image(), image.id()));
      }
      SnapshotRecord record =
          old.orElseGet(() -> new SnapshotRecord(image.id(), image.chainIds(), !overlay));
      for (Digest chainId : record.chainIds()) {
        if (!layers.has(chainId)) {
          throw new ImageException(
              Reason.NOT_FOUND,
              "layer %s of image %s is missing: pull the image again"
                  .formatted(chainId, image.id()));
        }
      }
      if (old.isEmpty()) {
        StoreFiles.makeFolder(folder);
        files.pass("snapshot folder made");
        write(folder, record);
        files.pass("snapshot recorded");
      }
      return record;
    }
  }

  private static void write(Path folder, SnapshotRecord record) {
    StoreFiles.writeForNow(folder.resolve("snapshot.json"), record.json());
  }

  private Path mount(Path folder, SnapshotRecord record) {
    Path root = folder.resolve("root");
    if (OverlayMount.isMounted(root)) {
      return root;
    }
    Path upper = StoreFiles.makeFolder(folder.resolve("upper"));
    Path work = StoreFiles.makeFolder(folder.resolve("work"));
    StoreFiles.makeFolder(root);
    files.pass("snapshot folders made");
    List<Path> stack = stack(record);
    if (Trees.isEmpty(upper)) {
      likeTop(stack.getFirst(), upper);
    }
    try {
      OverlayMount.mount(stack, upper, work, root);
    } catch (NetlinkException e) {
      if (!isImpossible(e)) {
        throw e;
      }
      SnapshotRecord copied = new SnapshotRecord(record.image(), record.chainIds(), true);
      write(folder, copied);
      return copy(folder, copied);
    }
    files.pass("snapshot mounted");
    return root;
  }

  /** An image without layers still needs something below. */
  private List<Path> stack(SnapshotRecord record) {
    if (!record.chainIds().isEmpty()) {
      return layers.stack(record.chainIds());
    }
    Path empty = StoreFiles.makeFolder(files.root().resolve("empty"));
    try (Directory directory = Directory.open(empty)) {
      directory.permissions("", 0755);
    }
    return List.of(empty);
  }

  /**
   * The root directory of a container looks like the uppermost layer's: overlayfs shows upper's.
   */
  private static void likeTop(Path layer, Path upper) {
    try (Directory from = Directory.open(layer);
        Directory to = Directory.open(upper)) {
      FileStatus status = from.status();
      to.owner("", status.uid(), status.gid());
      to.permissions("", status.permissions());
      to.modified("", status.modifiedSeconds(), status.modifiedNanos());
    }
  }

  /** No overlayfs in the kernel, or not on this file system, or not for us. */
  private static boolean isImpossible(NetlinkException e) {
    return e.is(Errno.ENODEV) || e.is(Errno.EINVAL) || e.is(Errno.EPERM) || e.is(Errno.EOPNOTSUPP);
  }

  private Path copy(Path folder, SnapshotRecord record) {
    Path root = folder.resolve("root");
    if (Files.exists(folder.resolve(COMPLETE))) {
      return root;
    }
    Trees.remove(root);
    StoreFiles.makeFolder(root);
    try (Directory directory = Directory.open(root)) {
      directory.permissions("", 0755);
    }
    files.pass("snapshot copy begun");
    for (Digest chainId : record.chainIds()) {
      LayerCopy.apply(layers.diff(chainId), root);
    }
    files.pass("snapshot copied");
    StoreFiles.writeForNow(folder.resolve(COMPLETE), new byte[0]);
    return root;
  }

  @Override
  public Optional<Path> root(String containerId) {
    return record(containerId).map(_ -> folder(containerId).resolve("root"));
  }

  @Override
  public void remove(String containerId) {
    Path folder = folder(containerId);
    if (Files.notExists(folder)) {
      return;
    }
    try (KeyedGuards.Held _ = guards.hold(containerId)) {
      OverlayMount.unmount(folder.resolve("root"));
      files.pass("snapshot unmounted");
      StoreFiles.remove(folder.resolve(COMPLETE));
      for (String name : List.of("upper", "work", "root")) {
        Trees.remove(folder.resolve(name));
      }
      files.pass("snapshot files removed");
      StoreFiles.remove(folder.resolve("snapshot.json"));
      files.pass("snapshot forgotten");
      Trees.remove(folder);
    } catch (NetlinkException e) {
      throw StoreFiles.failed("remove", folder, e);
    }
  }

  @Override
  public List<String> list() {
    return StoreFiles.names(files.snapshots());
  }

  @Override
  public WrittenFiles written(String containerId) {
    SnapshotRecord record =
        record(containerId)
            .orElseThrow(
                () ->
                    new ImageException(
                        Reason.NOT_FOUND, "container %s has no snapshot".formatted(containerId)));
    Path folder = folder(containerId).resolve(record.copied() ? "root" : "upper");
    if (Files.notExists(folder)) {
      return new WrittenFiles(0, 0);
    }
    try (Directory directory = Directory.open(folder)) {
      Trees.Size size = Trees.size(directory);
      return new WrittenFiles(size.bytes(), size.inodes());
    } catch (NetlinkException e) {
      throw StoreFiles.failed("measure", folder, e);
    }
  }

  /** What snapshots need, whatever images exist. */
  Set<Digest> layersInUse() {
    Set<Digest> inUse = new HashSet<>();
    for (String id : list()) {
      record(id).ifPresent(record -> inUse.addAll(record.chainIds()));
    }
    return inUse;
  }

  private Optional<SnapshotRecord> record(String containerId) {
    Path file = folder(containerId).resolve("snapshot.json");
    try {
      return StoreFiles.read(file).map(bytes -> SnapshotRecord.parse(bytes, file.toString()));
    } catch (ImageException e) {
      if (OverlayMount.isMounted(file.resolveSibling("root"))) {
        throw e;
      }
      return Optional.empty();
    }
  }

  private Path folder(String containerId) {
    if (!ID.matcher(containerId).matches()) {
      throw new ImageException(
          Reason.INVALID,
          "%s cannot name a snapshot: letters, digits, . _ and -, at most 128"
              .formatted(Quoted.brief(containerId)));
    }
    return files.snapshots().resolve(containerId);
  }
}

package io.ocicat.image.store;

import io.ocicat.image.Digest;
import io.ocicat.image.Image;
import io.ocicat.image.ImageStore.CollectedGarbage;
import io.ocicat.image.manifest.ConfigDocument;
import io.ocicat.netlink.linux.FileLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Removes what no image and no snapshot needs: layers, blobs, drafts. Under the store's exclusive
 * lock, so that nobody is about to need what looks unused.
 */
final class GarbageCollector {
  /** Long enough for whoever wants to resume; a new pull makes its partial blob new. */
  private static final Duration PARTIAL_AGE = Duration.ofHours(24);

  private final StoreFiles files;
  private final Blobs blobs;
  private final Layers layers;
  private final ImageRecords records;
  private final LocalSnapshots snapshots;

  GarbageCollector(
      StoreFiles files,
      Blobs blobs,
      Layers layers,
      ImageRecords records,
      LocalSnapshots snapshots) {
    this.files = files;
    this.blobs = blobs;
    this.layers = layers;
    this.records = records;
    this.snapshots = snapshots;
  }

  /** Does nothing while somebody adds content. */
  CollectedGarbage collect() {
    Optional<FileLock> lock = files.lockForRemoving();
    if (lock.isEmpty()) {
      return new CollectedGarbage(0, 0, 0);
    }
    try (FileLock _ = lock.get()) {
      return removeUnused();
    }
  }

  private CollectedGarbage removeUnused() {
    Set<Digest> neededBlobs = new HashSet<>();
    Set<Digest> mounted = snapshots.layersInUse();
    Set<Digest> neededLayers = new HashSet<>(mounted);
    for (ImageRecords.Entry entry : records.entries()) {
      neededBlobs.add(entry.id());
      neededBlobs.addAll(entry.manifests());
      blobs
          .read(entry.id())
          .map(bytes -> ConfigDocument.parse(bytes, "configuration " + entry.id()))
          .ifPresent(config -> neededLayers.addAll(Image.chainIds(config.diffIds())));
    }
    long bytes = 0;
    int removedBlobs = 0;
    int removedLayers = 0;
    for (Digest chainId : layers.list()) {
      if (!neededLayers.contains(chainId)) {
        bytes += layers.remove(chainId);
        removedLayers++;
      }
    }
    layers.removeRemains(mounted);
    for (Digest digest : blobs.list()) {
      if (!neededBlobs.contains(digest)) {
        bytes += blobs.remove(digest);
        removedBlobs++;
      }
    }
    removeOldDrafts();
    return new CollectedGarbage(removedLayers, removedBlobs, bytes);
  }

  private void removeOldDrafts() {
    Instant limit = Instant.now().minus(PARTIAL_AGE);
    for (String name : StoreFiles.names(files.partial())) {
      Path file = files.partial().resolve(name);
      try {
        boolean lock = name.endsWith(".lock");
        if (lock || Files.getLastModifiedTime(file).toInstant().isBefore(limit)) {
          StoreFiles.remove(file);
        }
      } catch (IOException e) {
        throw StoreFiles.failed("read", file, e);
      }
    }
  }
}

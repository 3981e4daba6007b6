package io.ocicat.cri;

import io.ocicat.base.Quoted;
import io.ocicat.image.Image;
import io.ocicat.image.ImageException;
import io.ocicat.image.ImageStore;
import io.ocicat.image.Snapshots.WrittenFiles;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.ContainerImage;
import io.ocicat.sandbox.container.ContainerUsage;
import io.ocicat.sandbox.container.RootFilesystems;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * Root file systems of containers, as snapshots of images. What containers wrote is counted in the
 * background, one container at a time: some have millions of files, and kubelet asks every ten
 * seconds. Thread-safe.
 */
public final class SnapshotRoots implements RootFilesystems {
  private static final long FRESH_NANOS = Duration.ofSeconds(30).toNanos();
  private static final LayerUsage UNKNOWN =
      new LayerUsage(ContainerUsage.UNKNOWN, ContainerUsage.UNKNOWN);

  private record Counted(LayerUsage usage, long at, boolean running) {}

  private final Supplier<ImageStore> images;
  private final Map<String, Counted> counted = new ConcurrentHashMap<>();
  private final Semaphore oneAtATime = new Semaphore(1);

  /**
   * Root file systems in a store.
   *
   * @param images asked for when it is needed: who only lists containers does without
   */
  public SnapshotRoots(Supplier<ImageStore> images) {
    this.images = images;
  }

  @Override
  public Path prepare(String containerId, ContainerImage image) {
    try {
      Image found =
          images
              .get()
              .find(image.id())
              .orElseThrow(
                  () ->
                      new SandboxException(
                          Reason.NOT_FOUND,
                          "image %s was removed: pull it again"
                              .formatted(Quoted.brief(image.id()))));
      return images.get().snapshots().prepare(containerId, found);
    } catch (ImageException e) {
      throw new SandboxException(Reason.FAILED, String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public void remove(String containerId) {
    counted.remove(containerId);
    try {
      images.get().snapshots().remove(containerId);
    } catch (ImageException e) {
      throw new SandboxException(Reason.FAILED, String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public LayerUsage usage(String containerId) {
    long now = System.nanoTime();
    Counted known =
        counted.computeIfAbsent(containerId, _ -> new Counted(UNKNOWN, now - FRESH_NANOS, false));
    if (!known.running() && now - known.at() >= FRESH_NANOS) {
      Counted begun = new Counted(known.usage(), now, true);
      if (counted.replace(containerId, known, begun)) {
        Thread.ofVirtual().name("cri-usage").start(() -> count(containerId, begun));
      }
    }
    return known.usage();
  }

  private void count(String containerId, Counted begun) {
    LayerUsage usage = begun.usage();
    oneAtATime.acquireUninterruptibly();
    try {
      WrittenFiles written = images.get().snapshots().written(containerId);
      usage = new LayerUsage(written.bytes(), written.inodes());
    } catch (ImageException _) {
      // It was removed meanwhile, or changes while it is counted: the last count stands.
    } finally {
      oneAtATime.release();
      counted.replace(containerId, begun, new Counted(usage, System.nanoTime(), false));
    }
  }
}

package io.ocicat.image;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The images of a machine. Lists and look-ups are answered from memory. Several processes may use
 * one store at a time. Thread-safe; work blocks the calling thread.
 *
 * <p>Every failure is an {@link ImageException}.
 */
public interface ImageStore extends AutoCloseable {

  /**
   * Finds an image by name, by {@code name@digest}, by id with or without {@code sha256:}, or by
   * the start of an id if only one image has it.
   */
  Optional<Image> find(String nameOrId);

  /** All images, ordered by id. */
  List<Image> list();

  /**
   * Fetches an image from its registry, or its mirrors, and unpacks it. Content that is there
   * already is not fetched again. Interrupting the thread ends the pull, and what was fetched is
   * kept for the next one.
   */
  Image pull(
      ImageReference reference, RegistryCredentials credentials, PullEvent.Listener listener);

  /**
   * Loads all images of an archive: docker's or OCI's, plain or compressed, or the folder of an OCI
   * layout.
   *
   * @param name the name of the one image, for archives that do not have any; null if none is given
   */
  List<Image> load(Path archive, @Nullable ImageReference name, PullEvent.Listener listener);

  /**
   * Removes an image with all its names, at once, even while containers use it: its layers go with
   * the last of them. Returns whether it existed.
   */
  boolean remove(String nameOrId);

  /** Takes one name from an image, which remains; returns whether the name existed. */
  boolean untag(ImageReference reference);

  /** The configuration of an image as it was published: JSON. */
  byte[] rawConfig(Image image);

  /** Removes content that no image and no container uses. Does nothing while others pull. */
  CollectedGarbage collectGarbage();

  /** What the store occupies, counted when things were added; nothing is walked. */
  StoreUsage usage();

  /**
   * Compares every file of every image with what was unpacked; reads all of it. An empty list means
   * that all is well.
   */
  List<DamagedLayer> verify();

  /**
   * Takes a damaged layer out of use. Images that need it are gone until they are pulled again;
   * containers that run on it keep it.
   */
  void discard(DamagedLayer layer);

  Snapshots snapshots();

  @Override
  void close();

  /** What a garbage collection freed. */
  record CollectedGarbage(int layers, int blobs, long bytes) {}

  /**
   * The size of the store.
   *
   * @param mountPoint an existing directory on the file system that holds it
   */
  record StoreUsage(Path mountPoint, long bytes, long inodes) {}

  /**
   * A layer that is not as it was unpacked.
   *
   * @param images the names or ids of images that need it
   * @param differences the first few, each a line
   */
  record DamagedLayer(Digest chainId, List<String> images, List<String> differences) {
    public DamagedLayer {
      images = List.copyOf(images);
      differences = List.copyOf(differences);
    }
  }
}

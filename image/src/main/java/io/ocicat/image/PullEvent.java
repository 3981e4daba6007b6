package io.ocicat.image;

import java.time.Duration;

/** What a pull or load is doing, for whoever watches it. */
public sealed interface PullEvent {

  /** The name was resolved: the image's manifest is known. */
  record Resolved(ImageReference reference, Digest manifest, int layers, long bytes)
      implements PullEvent {}

  /**
   * A layer's progress.
   *
   * @param done bytes of the transfer so far
   * @param total its bytes
   */
  record Layer(Digest digest, LayerState state, long done, long total) implements PullEvent {}

  /** An attempt failed and will be repeated. */
  record Retry(String what, String why, Duration delay) implements PullEvent {}

  /** The image is complete. */
  record Done(Image image) implements PullEvent {}

  /** Where a layer is on its way. */
  enum LayerState {
    DOWNLOADING,
    UNPACKING,
    /** Unpacked, now or before. */
    COMPLETE
  }

  /** Receives events, from several threads at a time. It must not block for long. */
  @FunctionalInterface
  interface Listener {
    /** Nobody watches. */
    Listener NOBODY = _ -> {};

    void on(PullEvent event);
  }
}

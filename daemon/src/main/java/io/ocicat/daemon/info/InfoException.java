package io.ocicat.daemon.info;

/** The daemon could not be reached, or did not reply properly. */
public final class InfoException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final boolean down;

  InfoException(String message, boolean down) {
    super(message);
    this.down = down;
  }

  /** Whether there is no daemon at all. */
  public boolean isDown() {
    return down;
  }
}

package io.ocicat.plugins.calico;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import java.time.Duration;

/** Pauses between two polls of a condition that nobody signals. */
final class PollInterval {
  private PollInterval() {}

  static void of(Duration moment) {
    try {
      Thread.sleep(moment);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CniException(ErrorCode.TRY_AGAIN_LATER, "interrupted while waiting", e);
    }
  }
}

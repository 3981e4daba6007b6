package io.ocicat.agent.bird;

import io.ocicat.base.CrashPoints;
import java.time.Duration;

/**
 * How BIRD is run.
 *
 * @param executable a path, or a name to look for
 * @param answer how long BIRD may take for one answer
 * @param silence how long a BIRD that does not answer is left alone before it is killed
 * @param settling how long after the start every session must be established for the node to be
 *     ready; later one is enough
 * @param crashPoints where tests end the reconciler
 */
public record BirdSettings(
    String executable,
    Duration answer,
    Duration silence,
    Duration settling,
    CrashPoints crashPoints) {

  public static BirdSettings standard() {
    return new BirdSettings(
        "bird",
        Duration.ofSeconds(5),
        Duration.ofSeconds(30),
        Duration.ofSeconds(30),
        CrashPoints.IGNORED);
  }
}

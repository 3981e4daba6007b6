package io.ocicat.agent.desired;

import java.util.Comparator;

/**
 * Where a desired value comes from.
 *
 * @param name as messages call it
 */
public record Source(Origin origin, String name) implements Comparable<Source> {
  /** Which network asks for it. */
  public enum Origin {
    CALICO,
    FLANNEL
  }

  private static final Comparator<Source> ORDER =
      Comparator.comparing(Source::origin).thenComparing(Source::name);

  @Override
  public int compareTo(Source other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return name;
  }
}

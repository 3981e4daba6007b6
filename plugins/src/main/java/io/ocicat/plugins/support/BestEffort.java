package io.ocicat.plugins.support;

/** Runs a sequence of steps, each of them even if earlier ones failed. */
public final class BestEffort {
  private BestEffort() {}

  /** Runs all of them; then throws the first failure, with the others suppressed in it. */
  public static void all(Runnable... steps) {
    RuntimeException first = null;
    for (Runnable step : steps) {
      try {
        step.run();
      } catch (RuntimeException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }
}

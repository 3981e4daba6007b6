package io.ocicat.plugins.support;

/** Things to be done one after the other, each of them whatever became of those before. */
public final class BestEffort {
  private BestEffort() {}

  /** Does all of them; then throws the first failure, with the others suppressed in it. */
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

package io.ocicat.sandbox.trace;

/**
 * Is told of each point in the life of a sandbox at which the death of the process leaves another
 * state behind. Nobody listens but the fault tests, which kill processes there. Thread-safe.
 */
@FunctionalInterface
public interface CrashPoints {
  /** Nobody dies. */
  CrashPoints IGNORED = _ -> {};

  /** Does not return when the process is to end here. */
  void pass(String point);
}

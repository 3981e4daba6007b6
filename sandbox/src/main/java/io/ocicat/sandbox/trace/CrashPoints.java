package io.ocicat.sandbox.trace;

/**
 * Receives each point in the life of a sandbox at which a crash would leave a different state
 * behind. Only the fault tests listen, which kill processes there. Thread-safe.
 */
@FunctionalInterface
public interface CrashPoints {
  /** Ignores all points. */
  CrashPoints IGNORED = _ -> {};

  /** Does not return when the process is to end here. */
  void pass(String point);
}

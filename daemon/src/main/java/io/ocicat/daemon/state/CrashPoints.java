package io.ocicat.daemon.state;

/**
 * Called at each point in a call's life where killing its process leaves a different state: before
 * every change of a record, after every exchange with the kernel. Only the fault tests implement
 * it, to kill processes there. Implementations are thread-safe.
 */
@FunctionalInterface
public interface CrashPoints {
  /** Ignores every point. */
  CrashPoints IGNORED = _ -> {};

  /** Does not return when the process is to be killed here. */
  void pass(String point);
}

package io.ocicat.base;

/**
 * Listens to the points of a call, or of a sandbox operation, at which killing the process leaves a
 * different state: before every change of a record, after every exchange with the kernel. Only
 * fault tests implement it, and kill processes there. Implementations are thread-safe.
 */
@FunctionalInterface
public interface CrashPoints {
  /** Never stops the process. */
  CrashPoints IGNORED = _ -> {};

  /** Does not return if the process is to end at this point. */
  void pass(String point);
}

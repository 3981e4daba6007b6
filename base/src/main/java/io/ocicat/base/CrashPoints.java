package io.ocicat.base;

/**
 * Is told of each point in a call, or in the life of a sandbox, at which the death of the process
 * leaves another state behind: before every change of a record, after every exchange with the
 * kernel. Nobody listens but the fault tests, which kill processes there. Implementations are
 * thread-safe.
 */
@FunctionalInterface
public interface CrashPoints {
  /** Nobody dies. */
  CrashPoints IGNORED = _ -> {};

  /** Does not return when the process is to end here. */
  void pass(String point);
}

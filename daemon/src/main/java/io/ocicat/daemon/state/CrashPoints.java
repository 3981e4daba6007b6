package io.ocicat.daemon.state;

/**
 * Is told of each point in the life of a call at which the death of its process leaves another
 * state behind: before every change of a record, after every exchange with the kernel. Nobody
 * listens but the fault tests, which kill processes there. Implementations are thread-safe.
 */
@FunctionalInterface
public interface CrashPoints {
  /** Nobody dies. */
  CrashPoints IGNORED = _ -> {};

  /** Does not return when the process is to end here. */
  void pass(String point);
}

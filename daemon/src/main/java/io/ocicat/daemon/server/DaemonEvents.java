package io.ocicat.daemon.server;

import io.ocicat.daemon.trace.CallTrace;

/** Hears what the daemon does; for logs and metrics. Implementations are thread-safe. */
public interface DaemonEvents {
  /** A call is over. {@code call} composes what is known of it when asked. */
  void finished(CallOutcome outcome, CallTrace trace);

  /** A caller was sent away to do it itself. */
  void declined(DeclineReason kind, String why);

  /** A call takes longer than any should. */
  void stuck(String about, long nanos, StackTraceElement[] where);

  /** The daemon put something right by itself. */
  void repaired(RepairKind kind);

  /** Something the daemon did by itself, or could not do; a sentence for the log. */
  void note(String sentence);
}

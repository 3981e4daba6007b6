package io.ocicat.daemon.server;

import io.ocicat.daemon.trace.CallTrace;
import io.ocicat.daemon.trace.FinishedCall;

/** Receives the daemon's events, for logs and metrics. Implementations are thread-safe. */
public interface DaemonEvents {
  /** A call has finished. Its steps are in the trace, which composes their texts on demand. */
  void finished(FinishedCall call, CallTrace trace);

  /** A caller was declined and makes the call itself. */
  void declined(DeclineReason kind, String why);

  /** A call takes longer than any should. */
  void stuck(String about, long nanos, StackTraceElement[] where);

  /** The daemon repaired something by itself. */
  void repaired(RepairKind kind);

  /** Something the daemon did by itself, or could not do; a sentence for the log. */
  void note(String sentence);
}

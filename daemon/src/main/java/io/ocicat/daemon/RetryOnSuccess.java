package io.ocicat.daemon;

import io.ocicat.daemon.server.DaemonEvents;
import io.ocicat.daemon.server.DeclineReason;
import io.ocicat.daemon.server.RepairKind;
import io.ocicat.daemon.trace.CallTrace;
import io.ocicat.daemon.trace.FinishedCall;

/** Retries deferred DELs as soon as a call shows that they may succeed. */
record RetryOnSuccess(Reconciler reconciler) implements DaemonEvents {
  @Override
  public void finished(FinishedCall call, CallTrace trace) {
    reconciler.finished(call);
  }

  @Override
  public void declined(DeclineReason kind, String why) {}

  @Override
  public void stuck(String about, long nanos, StackTraceElement[] where) {}

  @Override
  public void repaired(RepairKind kind) {}

  @Override
  public void note(String sentence) {}
}

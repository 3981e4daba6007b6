package io.ocicat.daemon;

import io.ocicat.daemon.server.CallOutcome;
import io.ocicat.daemon.server.Events;
import io.ocicat.daemon.server.Refusal;
import io.ocicat.daemon.server.Repair;
import io.ocicat.daemon.trace.CallTrace;

/** Has what was put off tried again as soon as a call shows that it may succeed. */
record RetryOnSuccess(Upkeep upkeep) implements Events {
  @Override
  public void finished(CallOutcome outcome, CallTrace trace) {
    upkeep.finished(outcome);
  }

  @Override
  public void declined(Refusal kind, String why) {}

  @Override
  public void stuck(String about, long nanos, StackTraceElement[] where) {}

  @Override
  public void repaired(Repair kind) {}

  @Override
  public void note(String sentence) {}
}

package io.ocicat.daemon;

import io.ocicat.daemon.server.DaemonEvents;
import io.ocicat.daemon.server.DeclineReason;
import io.ocicat.daemon.server.RepairKind;
import io.ocicat.daemon.trace.CallTrace;
import io.ocicat.daemon.trace.FinishedCall;
import java.util.List;

/** Forwards each daemon event to several listeners, in order. */
public record EventFanOut(List<DaemonEvents> all) implements DaemonEvents {
  public EventFanOut {
    all = List.copyOf(all);
  }

  @Override
  public void finished(FinishedCall call, CallTrace trace) {
    for (DaemonEvents one : all) {
      one.finished(call, trace);
    }
  }

  @Override
  public void declined(DeclineReason kind, String why) {
    for (DaemonEvents one : all) {
      one.declined(kind, why);
    }
  }

  @Override
  public void stuck(String about, long nanos, StackTraceElement[] where) {
    for (DaemonEvents one : all) {
      one.stuck(about, nanos, where);
    }
  }

  @Override
  public void repaired(RepairKind kind) {
    for (DaemonEvents one : all) {
      one.repaired(kind);
    }
  }

  @Override
  public void note(String sentence) {
    for (DaemonEvents one : all) {
      one.note(sentence);
    }
  }
}
